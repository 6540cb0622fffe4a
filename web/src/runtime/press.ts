const LONGEST_MS = 1_000;

type Change = () => void;

/** Keeps the page still while the mouse button is down: a click counts only if it ends on the element where it began. */
export class Press {
  #isDown = false;
  #waiting: Change[] = [];
  #end: ReturnType<typeof setTimeout> | undefined;

  start(): void {
    addEventListener("pointerdown", this.#begin, true);
    addEventListener("pointerup", this.#lift, true);
    addEventListener("pointercancel", this.#lift, true);
  }

  stop(): void {
    removeEventListener("pointerdown", this.#begin, true);
    removeEventListener("pointerup", this.#lift, true);
    removeEventListener("pointercancel", this.#lift, true);
    clearTimeout(this.#end);
  }

  /** Runs `change` now, or in its turn after the click, within a second of the press. */
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
  readonly #lift = (): void => this.#endIn(0);

  #endIn(delay: number): void {
    clearTimeout(this.#end);
    this.#end = setTimeout(() => {
      this.#isDown = false;
      for (const change of this.#waiting.splice(0)) queueMicrotask(change); // one that fails stops no other
    }, delay);
  }
}
