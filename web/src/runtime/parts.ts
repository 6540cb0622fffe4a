import type { Unsubscribe } from "./signal";

const LONGEST_WAIT_MS = 10_000;
const INTERRUPTIONS = ["pointerdown", "keydown", "wheel"] as const;

/** The element that a fragment of the address names. */
function partAt(hash: string): HTMLElement | null {
  try {
    return document.getElementById(decodeURIComponent(hash.slice(1)));
  } catch {
    return null; // not a valid encoding
  }
}

/** Focuses the element that `hash` names, and scrolls to it unless a scroll position is restored. Returns whether it exists. */
function goTo(hash: string, isInPlace: boolean): boolean {
  const part = partAt(hash);
  if (part === null) return false;
  if (!isInPlace) part.scrollIntoView();
  if (!part.matches("a[href], button, input, select, textarea, [tabindex]")) part.tabIndex = -1;
  part.focus({ preventScroll: true });
  return true;
}

/**
 * Goes to the element that `hash` names as soon as it exists, because a screen may still be loading. Any action of the person
 * ends the wait. Returns a function that ends it, too.
 */
export function goToPart(hash: string, { isInPlace = false } = {}): Unsubscribe {
  if (hash.length < 2 || goTo(hash, isInPlace)) return () => undefined;
  const stop = (): void => {
    observer.disconnect();
    clearTimeout(timeout);
    for (const name of INTERRUPTIONS) removeEventListener(name, stop, true);
  };
  const observer = new MutationObserver(() => {
    if (goTo(hash, isInPlace)) stop();
  });
  const timeout = setTimeout(stop, LONGEST_WAIT_MS);
  observer.observe(document.body, { subtree: true, childList: true });
  for (const name of INTERRUPTIONS) addEventListener(name, stop, true);
  return stop;
}
