/** Unsaved text of forms, kept in the browser. Each visit to a form has its own version, so that none overwrites another. */

import { draftKey, draftKeys, draftTexts, forgetDraft, forgetInMemory, keepInMemory } from "./draftKeys";
import { type KeptField, holds, readFields, writeFields } from "./keptFields";
import type { Runtime } from "./Runtime";
import type { Unsubscribe } from "./signal";
import { ofBrowser } from "./storage";

const LONGEST_MS = 7 * 24 * 60 * 60_000;
const MAX_VERSIONS = 3;
const MAX_CHARACTERS = 2_000_000;
const SAVE_AFTER_MS = 250;
const NO_CHANGES = "[]";

export interface KeptVersion {
  /** Identifies the visit to the form. */
  readonly id: string;
  /** When it was typed, in milliseconds since 1970. */
  readonly at: number;
}

export interface DraftVersion extends KeptVersion {
  readonly fields: readonly KeptField[];
}

function versionsIn<V extends KeptVersion>(text: string): V[] {
  try {
    return JSON.parse(text) as V[];
  } catch {
    return [];
  }
}

/** Newest first. */
function read<V extends KeptVersion>(key: string): V[] {
  const found = draftTexts(key)
    .flatMap(versionsIn<V>)
    .filter(({ at }) => Date.now() - at < LONGEST_MS)
    .sort((one, other) => other.at - one.at);
  return found.filter(({ id }, index) => found.findIndex((each) => each.id === id) === index);
}

/** Returns whether there was enough space. Drafts of other forms are deleted to make space, the oldest first. */
function store(key: string, text: string): boolean {
  if (text.length > MAX_CHARACTERS) return false;
  const others = draftKeys().filter((each) => each !== key);
  const oldestFirst = others.sort((one, other) => (read(one)[0]?.at ?? 0) - (read(other)[0]?.at ?? 0));
  let size = others.reduce((sum, each) => sum + (ofBrowser.get(each)?.length ?? 0), text.length);
  for (;;) {
    // The browser's quota may be smaller than ours.
    if (size <= MAX_CHARACTERS && ofBrowser.set(key, text)) return true;
    const oldest = oldestFirst.shift();
    if (oldest === undefined) return false;
    size -= ofBrowser.get(oldest)?.length ?? 0;
    ofBrowser.remove(oldest);
  }
}

/** Text typed by a visitor is never stored, because the next person at this browser could see it. */
function write(account: string | null, key: string, versions: readonly KeptVersion[]): void {
  if (versions.length === 0) {
    forgetDraft(key);
    return;
  }
  const text = JSON.stringify(versions.slice(0, MAX_VERSIONS));
  if (account !== null && store(key, text)) forgetInMemory(key);
  else keepInMemory(key, text);
}

/** Unsaved texts that do not belong to a form, newest first. */
export function keptTexts<T extends object>(account: string | null, form: string): (KeptVersion & T)[] {
  return read<KeptVersion & T>(draftKey(account, form));
}

/** Keeps an unsaved text, which replaces the `replaced` one. */
export function keepText(account: string | null, form: string, version: KeptVersion, replaced?: string): void {
  const key = draftKey(account, form);
  write(account, key, [version, ...read(key).filter(({ id }) => id !== version.id && id !== replaced)]);
}

export function forgetText(account: string | null, form: string, ...ids: readonly (string | undefined)[]): void {
  const key = draftKey(account, form);
  write(account, key, read(key).filter(({ id }) => !ids.includes(id)));
}

/** Deletes expired drafts. */
export function forgetOldDrafts(): void {
  for (const key of draftKeys()) if (read(key).length === 0) ofBrowser.remove(key);
}

/** One visit to a form. */
export class Draft {
  readonly #runtime: Runtime;
  readonly #form: string;
  readonly #key: string;
  readonly #id = Math.random().toString(36).slice(2);
  #element: HTMLFormElement | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The changes that are stored, or were saved by the server. */
  #kept = NO_CHANGES;

  constructor(runtime: Runtime, form: string) {
    this.#runtime = runtime;
    this.#form = form;
    this.#key = draftKey(runtime.page.account, form);
  }

  /** Keeps the text typed into the form, and offers the text of an earlier visit. */
  follow(element: HTMLFormElement, offer: (version: DraftVersion | null) => void): Unsubscribe {
    this.#element = element;
    offer(this.#earlier());
    this.#note(); // text that was typed before this code had loaded
    const unsubscribe = this.#runtime.saved.subscribe(() => {
      if (this.#runtime.saved.get()?.form !== this.#form) return;
      this.#stop();
      this.#kept = JSON.stringify(readFields(element));
      offer(null);
    });
    element.addEventListener("input", this.#note);
    element.addEventListener("change", this.#note);
    addEventListener("pagehide", this.#flush);
    return () => {
      this.#flush();
      unsubscribe();
      element.removeEventListener("input", this.#note);
      element.removeEventListener("change", this.#note);
      removeEventListener("pagehide", this.#flush);
    };
  }

  restore(version: DraftVersion): void {
    if (this.#element !== undefined) writeFields(this.#element, version.fields);
    this.#save();
    this.discard(version);
  }

  discard({ id }: DraftVersion): void {
    this.#write(read<DraftVersion>(this.#key).filter((each) => each.id !== id));
  }

  /** The newest version of another visit whose text the form does not show already. */
  #earlier(): DraftVersion | null {
    const element = this.#element;
    if (element === undefined) return null;
    return read<DraftVersion>(this.#key).find(({ id, fields }) => id !== this.#id && !holds(element, fields)) ?? null;
  }

  readonly #note = (): void => {
    this.#timer ??= setTimeout(this.#save, SAVE_AFTER_MS);
  };

  /** Programs that enter text, such as for dictation, may do so without an event. */
  readonly #flush = (): void => {
    this.#stop();
    if (this.#element !== undefined && JSON.stringify(readFields(this.#element)) !== this.#kept) this.#save();
  };

  readonly #save = (): void => {
    this.#stop();
    if (this.#element === undefined || this.#runtime.isAccountDeleted) return;
    const fields = readFields(this.#element);
    this.#kept = JSON.stringify(fields);
    const others = read<DraftVersion>(this.#key).filter(({ id }) => id !== this.#id);
    const own = fields.length === 0 ? [] : [{ id: this.#id, at: Date.now(), fields }];
    this.#write([...own, ...others]);
  };

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #write(versions: readonly DraftVersion[]): void {
    write(this.#runtime.page.account, this.#key, versions);
  }
}
