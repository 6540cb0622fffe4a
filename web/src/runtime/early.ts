export interface EarlyAct {
  readonly button?: HTMLButtonElement;
  readonly form?: HTMLFormElement;
  readonly submitter?: HTMLElement | null;
}

declare global {
  // Filled by boot.ts before this bundle had loaded.
  var early: EarlyAct[] | null;
}

/** Replays the events from before hydration. React hydrates the target of such an event immediately. */
export function replayEarly(): void {
  const acts = globalThis.early ?? [];
  globalThis.early = null;
  for (const { button, form, submitter } of acts) {
    // The browser has opened the popover of the button already: clicking again must not close it.
    (button?.popoverTargetElement as HTMLElement | null | undefined)?.hidePopover();
    if (button?.isConnected === true) button.click();
    if (form?.isConnected === true) form.requestSubmit(submitter ?? null);
  }
}
