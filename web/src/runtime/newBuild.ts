/** A page whose build differs from the server's reloads: it may use another protocol and request deleted chunks. */

import { ofTab } from "./storage";

const KEY = "reloaded-for-build";
const INTERRUPTED = "reloaded-during-step";

/**
 * Whether the page should reload for `build`, at most once in a row: while two processes serve different builds, a page could
 * otherwise reload again and again.
 */
export function claimReload(build: string): boolean {
  if (ofTab.get(KEY) === build) return false;
  return ofTab.set(KEY, build); // without this note the page could reload forever
}

/** Notes that an action was unanswered, so that the page mentions it after the reload. */
export function noteInterruption(): void {
  ofTab.set(INTERRUPTED, "1");
}

export function takeInterruption(): boolean {
  const wasInterrupted = ofTab.get(INTERRUPTED) !== null;
  ofTab.remove(INTERRUPTED);
  return wasInterrupted;
}
