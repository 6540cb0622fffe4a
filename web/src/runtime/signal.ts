import { useSyncExternalStore } from "react";

export type Unsubscribe = () => void;

/** A value that React components can subscribe to. */
export class Signal<T> {
  readonly #initial: T;
  #value: T;
  readonly #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#initial = value;
    this.#value = value;
  }

  readonly get = (): T => this.#value;

  /** The value that the server rendered with. React hydrates with it even if the value has changed since then. */
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
