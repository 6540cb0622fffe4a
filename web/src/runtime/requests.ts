/** Notices that a request gets no response. */

import type { Runtime } from "./Runtime";
import type { Unsubscribe } from "./signal";

const PATIENCE_MS = 20_000;
/** Shorter interruptions, such as a restart of the server, are bridged. */
const INTERRUPTION_MS = 2_000;

/** Calls `onFailure` once if the browser is offline, the connection stays lost, or the time is over. Returns a function that ends the watch. */
export function watchRequest(runtime: Runtime, onFailure: () => void): Unsubscribe {
  let interruption: ReturnType<typeof setTimeout> | undefined;
  const fail = (): void => {
    end();
    onFailure();
  };
  const look = (): void => {
    clearTimeout(interruption);
    if (!runtime.isConnected.get()) interruption = setTimeout(fail, navigator.onLine ? INTERRUPTION_MS : 0);
  };
  const deadline = setTimeout(fail, PATIENCE_MS);
  const unsubscribe = runtime.isConnected.subscribe(look);
  const end = (): void => {
    clearTimeout(deadline);
    clearTimeout(interruption);
    unsubscribe();
  };
  look();
  return end;
}
