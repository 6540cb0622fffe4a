import type { Unsubscribe } from "./signal";

/** Sets `<html data-ready>` while the page is idle, so that scripts know when to continue. */
export class Readiness {
  readonly #root: HTMLElement;
  #holds = 0;

  constructor(root: HTMLElement) {
    this.#root = root;
  }

  /** Marks work as pending until the returned function is called. */
  readonly hold = (): Unsubscribe => {
    let isHeld = true;
    this.#holds += 1;
    this.#show();
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holds -= 1;
      this.#show();
    };
  };

  get isReady(): boolean {
    return this.#holds === 0;
  }

  #show(): void {
    this.#root.toggleAttribute("data-ready", this.isReady);
  }
}
