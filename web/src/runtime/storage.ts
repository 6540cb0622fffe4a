/** The browser's storage. If the browser denies access, for example by policy, reads return nothing and writes fail. */
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

  /** Returns whether there was enough space. */
  set(key: string, text: string): boolean {
    return this.#try((storage) => (storage.setItem(key, text), true)) ?? false;
  }

  remove(key: string): void {
    this.#try((storage) => storage.removeItem(key));
  }

  /** Even reading the property `localStorage` throws a SecurityError if access is denied. */
  #try<T>(act: (storage: Storage) => T): T | undefined {
    try {
      return act(this.#open());
    } catch {
      return undefined;
    }
  }
}

/** Persistent storage that all tabs share. */
export const ofBrowser = new Store(() => localStorage);

/** Storage of this tab only. */
export const ofTab = new Store(() => sessionStorage);
