/** A page whose build differs from the server's reloads: it may use another protocol and request deleted chunks. */

const KEY = "reloaded-for-build";
const INTERRUPTED = "reloaded-during-step";

/**
 * Whether the page should reload for `build`, at most once in a row: while two processes serve different builds, a page could
 * otherwise reload again and again.
 */
export function claimReload(build: string): boolean {
  if (sessionStorage.getItem(KEY) === build) return false;
  sessionStorage.setItem(KEY, build);
  return true;
}

/** Notes that an action was unanswered, so that the page mentions it after the reload. */
export function noteInterruption(): void {
  sessionStorage.setItem(INTERRUPTED, "1");
}

export function takeInterruption(): boolean {
  const wasInterrupted = sessionStorage.getItem(INTERRUPTED) !== null;
  sessionStorage.removeItem(INTERRUPTED);
  return wasInterrupted;
}
