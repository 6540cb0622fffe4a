/** A page of another build than the server's loads itself anew: it may speak differently and ask for chunks that are gone. */

const KEY = "reloaded-for-build";
const INTERRUPTED = "reloaded-during-step";

/**
 * Whether the page should be loaded anew for `build`, which it then is at most once in a row: while two processes serve
 * different builds, a page could otherwise be loaded again and again.
 */
export function claimReload(build: string): boolean {
  if (sessionStorage.getItem(KEY) === build) return false;
  sessionStorage.setItem(KEY, build);
  return true;
}

/** Notes that something was under way that the next page has to mention. */
export function noteInterruption(): void {
  sessionStorage.setItem(INTERRUPTED, "1");
}

export function takeInterruption(): boolean {
  const wasInterrupted = sessionStorage.getItem(INTERRUPTED) !== null;
  sessionStorage.removeItem(INTERRUPTED);
  return wasInterrupted;
}
