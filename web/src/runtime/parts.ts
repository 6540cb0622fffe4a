import type { Unsubscribe } from "./signal";

const LONGEST_WAIT_MS = 10_000;
const INTERRUPTIONS = ["pointerdown", "keydown", "wheel"] as const;

/** The part of the page that a fragment of the address names. */
function partAt(hash: string): HTMLElement | null {
  try {
    return document.getElementById(decodeURIComponent(hash.slice(1)));
  } catch {
    return null; // not an encoding of anything
  }
}

/** Puts the focus on the part that `hash` names, and shows it unless its place is known already. Returns whether it is there. */
function goTo(hash: string, isInPlace: boolean): boolean {
  const part = partAt(hash);
  if (part === null) return false;
  if (!isInPlace) part.scrollIntoView();
  if (!part.matches("a[href], button, input, select, textarea, [tabindex]")) part.tabIndex = -1;
  part.focus({ preventScroll: true });
  return true;
}

/**
 * Goes to the part that `hash` names as soon as it is there: a screen may still be reading what it shows. Whoever does something
 * meanwhile is left alone. Returns a function that ends the wait.
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
