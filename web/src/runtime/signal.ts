import { useSyncExternalStore } from "react";

export type Unsubscribe = () => void;

/** One value that React components may follow. */
export class Signal<T> {
  readonly #initial: T;
  #value: T;
  readonly #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#initial = value;
    this.#value = value;
  }

  readonly get = (): T => this.#value;

  /** What the server rendered; React hydrates with it even when the value has moved on. */
  readonly getInitial = (): T => this.#initial;

  readonly set = (value: T): void => {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener();
  };

  readonly subscribe = (listener: () => void): Unsubscribe => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };
}

export function useSignal<T>(signal: Signal<T>): T {
  return useSyncExternalStore(signal.subscribe, signal.get, signal.getInitial);
}
