const LONGEST_MS = 1_000;

type Change = () => void;

/** Keeps the page still while the mouse button is down: a click counts only if it ends on the element where it began. */
export class Press {
  #isDown = false;
  #waiting: Change[] = [];
  #end: ReturnType<typeof setTimeout> | undefined;

  start(): void {
    addEventListener("pointerdown", this.#begin, true);
    addEventListener("pointerup", this.#release, true);
    addEventListener("pointercancel", this.#release, true);
  }

  stop(): void {
    removeEventListener("pointerdown", this.#begin, true);
    removeEventListener("pointerup", this.#release, true);
    removeEventListener("pointercancel", this.#release, true);
    clearTimeout(this.#end);
  }

  /** Runs `change` now, or, while the mouse button is down, in order after the click, but at most a second later. */
  readonly after = (change: Change): void => {
    if (this.#isDown) this.#waiting.push(change);
    else change();
  };

  readonly #begin = ({ button }: PointerEvent): void => {
    if (button !== 0) return;
    this.#isDown = true;
    this.#endIn(LONGEST_MS);
  };

  /** The click follows in the same task. */
  readonly #release = (): void => this.#endIn(0);

  #endIn(delay: number): void {
    clearTimeout(this.#end);
    this.#end = setTimeout(() => {
      this.#isDown = false;
      for (const change of this.#waiting.splice(0)) queueMicrotask(change); // a failing change must not prevent the others
    }, delay);
  }
}
