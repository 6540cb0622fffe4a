/** The browser's storage. Reading finds nothing, and writing fails, where the browser refuses access to it, for example by a policy. */
class Store {
  readonly #open: () => Storage;

  constructor(open: () => Storage) {
    this.#open = open;
  }

  keys(): string[] {
    return this.#try(Object.keys) ?? [];
  }

  get(key: string): string | null {
    return this.#try((storage) => storage.getItem(key)) ?? null;
  }

  /** Returns whether there was room. */
  set(key: string, text: string): boolean {
    return this.#try((storage) => (storage.setItem(key, text), true)) ?? false;
  }

  remove(key: string): void {
    this.#try((storage) => storage.removeItem(key));
  }

  /** Even naming `localStorage` throws a SecurityError where it is not allowed. */
  #try<T>(act: (storage: Storage) => T): T | undefined {
    try {
      return act(this.#open());
    } catch {
      return undefined;
    }
  }
}

/** Shared by all tabs, and kept. */
export const ofBrowser = new Store(() => localStorage);

/** Of this tab alone. */
export const ofTab = new Store(() => sessionStorage);
