import { draftKey, draftKeys, draftOwners } from "../../runtime/draftKeys";
import { forgetText, type KeptVersion, keepText, keptTexts } from "../../runtime/drafts";
import type { Runtime } from "../../runtime/Runtime";
import { Signal } from "../../runtime/signal";
import { ofTab } from "../../runtime/storage";
import { inWorkspace, isSamePerson } from "../../runtime/workspace";

const KEEP_AFTER_MS = 250;
/** How often an editor stores its unsaved text again, so that other tabs know that it is open. */
const KEEP_EVERY_MS = 5_000;
const ALIVE_MS = 3 * KEEP_EVERY_MS;
const SAVE_AFTER_MS = 1_200;
const SAVE_AT_LATEST_MS = 5_000;
const FIRST_RETRY_MS = 2_000;
const LAST_RETRY_MS = 30_000;
/** Browsers send at most 64 kB while a page is unloaded. */
const MAX_KEEPALIVE_BYTES = 60_000;

export interface Content {
  readonly heading: string;
  readonly text: string;
}

export interface DiffPiece {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** Who made the text on the server, and when. */
export interface Change {
  /** Empty if the writer made it. */
  readonly changedBy: string;
  readonly isOwnChange: boolean;
  /** In ISO 8601. */
  readonly changedAt: string | null;
}

/** The different text on the server, and the changes from it to the text in the editor. */
export interface Other extends Content, Change {
  readonly revision: number;
  readonly pieces: readonly DiffPiece[];
}

export type SaveState =
  | { readonly kind: "saved" | "unsaved" | "saving" }
  /** `problem` is the server's sentence, if it gave one. */
  | { readonly kind: "failed"; readonly problem: string; readonly isRetrying: boolean }
  /** `problem` says why the text in the editor could not be kept as a version. */
  | { readonly kind: "conflict"; readonly other: Other; readonly problem?: string };

interface Kept extends Content {
  readonly basedOn: number;
  /** The text that was sent without a response, so the server may have it. */
  readonly sent: string | null;
  readonly tab: string;
}

/** Text of a section that has not reached the server and has no open editor. */
export interface UnsavedText extends Content {
  readonly sectionId: string;
  /** Identifies the text among those that are kept. */
  readonly id: string;
}

/** An unsaved text of a section in another workspace. */
export interface LeftText extends Content {
  readonly account: string;
  readonly form: string;
  readonly id: string;
}

/** By page and path, the editors that are open, or were closed before the server had their text. */
const activeEditors = new WeakMap<Runtime, Map<string, Autosave>>();

function editorsOf(runtime: Runtime): Map<string, Autosave> {
  const editors = activeEditors.get(runtime) ?? new Map<string, Autosave>();
  activeEditors.set(runtime, editors);
  return editors;
}

/** Whether the text does not belong to an open editor in another tab. */
const isUnclaimed = ({ tab, at }: Kept & KeptVersion): boolean => tab === tabId() || Date.now() - at > ALIVE_MS;

/** Unsaved texts of the sections below `path` that will not be saved automatically. */
export function unsavedTexts(runtime: Runtime, path: string): UnsavedText[] {
  const { account } = runtime.page;
  const start = draftKey(account, path);
  return draftKeys()
    .filter((key) => key.startsWith(start))
    .flatMap((key) => {
      const sectionId = key.slice(start.length);
      const isHandled = editorsOf(runtime).get(path + sectionId)?.isHandled === true;
      const kept = isHandled ? undefined : keptTexts<Kept>(account, path + sectionId).find(isUnclaimed);
      return kept === undefined ? [] : [{ sectionId, id: kept.id, heading: kept.heading, text: kept.text }];
    });
}

/** Texts that were not saved, of workspaces other than those given, each with the identity and the form that it is kept for. */
export function leftTexts(account: string | null, workspaces: readonly string[]): LeftText[] {
  const [person] = (account ?? "").split("/");
  return draftOwners()
    .filter(({ account: owner, form }) => isSamePerson(owner, account) && form.startsWith(SECTIONS) && !workspaces.includes(owner.split("/")[1] ?? person ?? ""))
    .flatMap(({ account: owner, form }) =>
      keptTexts<Kept>(owner, form).map(({ id, heading, text }) => ({ account: owner, form, id, heading, text })),
    );
}

/** Survives a reload. */
function tabId(): string {
  const known = ofTab.get("tab");
  const id = known ?? Math.random().toString(36).slice(2);
  if (known === null) ofTab.set("tab", id);
  return id;
}

interface SectionAnswer extends Content {
  readonly revision: number;
}

/**
 * Saves a section while the person types. Until the server has acknowledged a text, the browser keeps it, even across a reload or
 * restart. Requests are sent one at a time; each contains the revision that the text is based on.
 */
export class Autosave {
  readonly state = new Signal<SaveState>({ kind: "saved" });
  /** The change that replaced the text here, until the person types. */
  readonly followed = new Signal<Change | null>(null);
  /** The content of the editor. */
  readonly content: Signal<Content>;
  readonly #runtime: Runtime;
  readonly #url: string;
  readonly #form: string;
  readonly #id = Math.random().toString(36).slice(2);
  #revision: number;
  #sent: string | null = null;
  #sequence = 0;
  #isDirty = false;
  #isSending = false;
  #underway: Promise<void> = Promise.resolve();
  #adopted: string | undefined;
  #dirtySince = 0;
  #retryMs = FIRST_RETRY_MS;
  #keepTimer: ReturnType<typeof setTimeout> | undefined;
  #saveTimer: ReturnType<typeof setTimeout> | undefined;
  #isOpen = false;
  #isRefused = false;
  #stopListening: (() => void) | undefined;

  /** The editor of a section. One that was closed before the server had its text continues to save, and is returned again. */
  static of(runtime: Runtime, path: string, content: Content, revision: number): Autosave {
    return editorsOf(runtime).get(path) ?? new Autosave(runtime, path, content, revision);
  }

  constructor(runtime: Runtime, path: string, content: Content, revision: number) {
    this.#runtime = runtime;
    this.#url = runtime.page.base + path;
    this.#form = path;
    // Continue with unsaved text from earlier, except for text that another tab is about to save.
    const kept = keptTexts<Kept>(runtime.page.account, path).find(isUnclaimed);
    this.#adopted = kept?.id;
    this.#isDirty = kept !== undefined && !isSame(kept, content);
    this.content = new Signal(kept === undefined ? content : { heading: kept.heading, text: kept.text });
    this.#revision = this.#isDirty && kept !== undefined ? kept.basedOn : revision;
    this.#sent = kept?.sent ?? null;
  }

  /** Whether the server has all of the text. */
  get isClean(): boolean {
    return !this.#isDirty && !this.#isSending;
  }

  /** Whether the save status is visible, or the text is about to be saved. */
  get isHandled(): boolean {
    const { kind } = this.state.get();
    return this.#isOpen || (kind !== "failed" && kind !== "conflict");
  }

  get revision(): number {
    return this.#revision;
  }

  /** Shows a newer text from the server if no text here waits to be saved. */
  follow({ heading, text }: Content, revision: number): void {
    this.content.set({ heading, text });
    this.#revision = revision;
  }

  /** Finds out who made the text that this editor now follows. */
  async ask(): Promise<void> {
    const revision = this.#revision;
    const other = await this.#compare().catch(() => null);
    if (other?.revision === revision && this.#revision === revision && !this.#isDirty) this.followed.set(other);
  }

  change({ heading, text }: Content): void {
    this.content.set({ heading: heading.replaceAll(NOT_KEPT, ""), text: text.replaceAll(NOT_KEPT, "") });
    if (!this.#isDirty) this.#dirtySince = Date.now();
    this.#isDirty = true;
    this.followed.set(null);
    this.#keepTimer ??= setTimeout(() => this.#keep(), KEEP_AFTER_MS);
    if (this.state.get().kind === "conflict") return;
    if (this.state.get().kind === "saved") this.state.set({ kind: "unsaved" });
    const isRetrying = this.state.get().kind === "failed" && this.#saveTimer !== undefined;
    if (!isRetrying) this.#plan(Math.min(SAVE_AFTER_MS, Math.max(0, this.#dirtySince + SAVE_AT_LATEST_MS - Date.now())));
  }

  /** Saves immediately instead of at the scheduled time. */
  flush(): void {
    if (this.#isDirty && this.state.get().kind !== "conflict") void this.#save();
  }

  /** Saves the text. Resolves to whether the server has all of it. */
  async settle(): Promise<boolean> {
    await this.#underway;
    // A second try saves text that was typed in the meantime, or succeeds with the revision from the first response.
    for (let tries = 0; tries < 2 && this.#isDirty && this.state.get().kind !== "conflict"; tries += 1) await this.#save();
    return this.isClean && this.state.get().kind !== "conflict";
  }

  /** Replaces the server's text with the text in the editor. */
  keepMine(other: Other): void {
    this.#revision = other.revision;
    this.state.set({ kind: "unsaved" });
    void this.#save();
  }

  /** Keeps the text as a version, and continues with the server's text. Resolves to whether that succeeded. */
  async takeOther(other: Other): Promise<boolean> {
    const mine = this.content.get();
    const { heading, text } = mine;
    const problem = await this.#post("/versions", { heading: heading.trim() === "" ? other.heading : heading, text });
    if (problem !== null) {
      this.state.set({ kind: "conflict", other, problem });
      return false;
    }
    if (this.content.get() !== mine) return await this.takeOther(other); // the person has typed on
    this.follow(other, other.revision);
    this.#isDirty = false;
    this.#forget();
    this.state.set({ kind: "saved" });
    return true;
  }

  /** The person may no longer save: nothing is sent anymore, and the browser keeps the text. */
  refuse(problem: string): void {
    if (this.#isRefused) return;
    this.#isRefused = true;
    clearTimeout(this.#saveTimer);
    this.#saveTimer = undefined;
    this.#keep();
    if (this.#isDirty) this.state.set({ kind: "failed", problem, isRetrying: false });
  }

  start(): () => void {
    this.#isOpen = true;
    editorsOf(this.#runtime).set(this.#form, this);
    this.#stopListening ??= this.#listen();
    if (this.#isDirty) this.change(this.content.get());
    else this.#forget();
    return () => {
      this.#isOpen = false;
      this.#keep();
      this.flush();
      this.#endWhenSettled();
    };
  }

  #listen(): () => void {
    const leave = (): void => this.#leave();
    const retry = (): void => this.flush();
    const beat = setInterval(() => this.#keep(), KEEP_EVERY_MS);
    addEventListener("pagehide", leave);
    addEventListener("online", retry);
    return () => {
      removeEventListener("pagehide", leave);
      removeEventListener("online", retry);
      clearInterval(beat);
    };
  }

  /** A closed editor is disposed of once nothing is left to send. Text that could not be saved stays in the browser. */
  #endWhenSettled(): void {
    if (this.#isOpen || this.#isSending || this.#saveTimer !== undefined) return;
    clearTimeout(this.#keepTimer);
    this.#stopListening?.();
    this.#stopListening = undefined;
    if (editorsOf(this.#runtime).get(this.#form) === this) editorsOf(this.#runtime).delete(this.#form);
  }

  #plan(delayMs: number): void {
    clearTimeout(this.#saveTimer);
    this.#saveTimer = setTimeout(() => void this.#save(), delayMs);
  }

  #keep(): void {
    clearTimeout(this.#keepTimer);
    this.#keepTimer = undefined;
    if (!this.#isDirty || this.#runtime.isAccountDeleted) return;
    const kept: Kept = { ...this.content.get(), basedOn: this.#revision, sent: this.#sent, tab: tabId() };
    keepText(this.#runtime.page.account, this.#form, { id: this.#id, at: Date.now(), ...kept }, this.#adopted);
  }

  #forget(): void {
    forgetText(this.#runtime.page.account, this.#form, this.#id, this.#adopted);
    this.#adopted = undefined;
  }

  #leave(): void {
    this.#keep();
    if (!this.#isDirty || this.#isRefused || this.#runtime.isSignedOut || this.state.get().kind === "conflict") return;
    const content = this.content.get();
    const body = this.#body();
    if (new Blob([body]).size > MAX_KEEPALIVE_BYTES) return;
    // Even if this fails, the browser still has the text.
    void this.#put(body, true).then(
      ({ ok }) => (ok && this.content.get() === content ? this.#forget() : undefined),
      () => undefined,
    );
  }

  #body(): string {
    this.#sequence += 1;
    return JSON.stringify({ ...this.content.get(), based_on: this.#revision, editor: this.#id, sequence: this.#sequence });
  }

  #address(below = ""): string {
    return inWorkspace(this.#runtime.page.account, this.#url + below);
  }

  async #put(body: string, keepalive = false): Promise<Response> {
    return await fetch(this.#address(), { method: "PUT", body, keepalive, headers: HEADERS });
  }

  async #save(): Promise<void> {
    clearTimeout(this.#saveTimer);
    this.#saveTimer = undefined;
    if (!this.#isDirty || this.#isSending || this.#isRefused || this.#runtime.isSignedOut) return;
    this.#underway = this.#send();
    await this.#underway;
    this.#endWhenSettled();
  }

  async #send(): Promise<void> {
    const content = this.content.get();
    if (content.heading.trim() === "") {
      this.#fail(this.#runtime.t("Enter a heading."), false);
      return;
    }
    this.#isSending = true;
    this.state.set({ kind: "saving" });
    const unanswered = this.#sent;
    this.#sent = content.text;
    this.#keep();
    try {
      await this.#receive(await this.#put(this.#body()), content, unanswered);
    } catch {
      this.#fail("", true);
    } finally {
      this.#isSending = false;
    }
    if (this.state.get().kind === "unsaved") this.#plan(SAVE_AFTER_MS);
  }

  async #receive(answer: Response, content: Content, unanswered: string | null): Promise<void> {
    if (answer.ok) {
      this.#revision = ((await answer.json()) as SectionAnswer).revision;
      this.#acknowledge(content);
    } else if (answer.status === 409) {
      const other = await this.#compare();
      const isOwn = isSame(other, content);
      // The text was sent by this editor, or by this page before it was reloaded.
      if (isOwn || other.text === unanswered) this.#revision = other.revision;
      if (isOwn) this.#acknowledge(content);
      else if (other.text === unanswered) this.state.set({ kind: "unsaved" });
      else this.state.set({ kind: "conflict", other });
    } else {
      if (answer.status === UNAUTHORIZED) this.#runtime.checkSession();
      this.#fail(await sentenceOf(answer), answer.status >= 500 || answer.status === 429 || answer.status === 408);
    }
  }

  #acknowledge(content: Content): void {
    this.#sent = null;
    this.#retryMs = FIRST_RETRY_MS;
    if (this.content.get() === content) {
      this.#isDirty = false;
      this.#forget();
      this.state.set({ kind: "saved" });
    } else {
      this.#dirtySince = Date.now();
      this.state.set({ kind: "unsaved" });
    }
  }

  #fail(problem: string, isRetrying: boolean): void {
    this.state.set({ kind: "failed", problem, isRetrying });
    if (!isRetrying) return;
    this.#plan(this.#retryMs);
    this.#retryMs = Math.min(2 * this.#retryMs, LAST_RETRY_MS);
  }

  async #compare(): Promise<Other> {
    const body = JSON.stringify({ text: this.content.get().text });
    const answer = await fetch(this.#address("/comparison"), { method: "POST", body, headers: HEADERS });
    if (!answer.ok) throw new Error(`The comparison was refused with ${answer.status}.`);
    const { section, pieces, changed_by: changedBy, is_own_change: isOwnChange, changed_at: changedAt } = (await answer.json()) as Comparison;
    const { heading, text, revision } = section;
    return { heading, text, revision, pieces, changedBy, isOwnChange, changedAt };
  }

  /** Resolves to why the server did not accept the content, or null. */
  async #post(below: string, content: object): Promise<string | null> {
    try {
      const answer = await fetch(this.#address(below), { method: "POST", body: JSON.stringify(content), headers: HEADERS });
      return answer.ok ? null : await sentenceOf(answer);
    } catch {
      return "";
    }
  }
}

/** The server's sentence about a refusal, if it gave one. */
async function sentenceOf(answer: Response): Promise<string> {
  return ((await answer.json().catch(() => null)) as ErrorAnswer | null)?.error?.message ?? "";
}

function isSame(one: Content, other: Content): boolean {
  return one.heading === other.heading && one.text === other.text;
}

/** Pasted text may contain NUL and lone surrogates. The server refuses them, and people cannot see them to remove them. */
const NOT_KEPT = /\0|\p{Surrogate}/gu;
const SECTIONS = "/api/drafts/";
const UNAUTHORIZED = 401;
const HEADERS = { "Content-Type": "application/json", "X-Requested-With": "fundwright" };

interface Comparison {
  readonly section: SectionAnswer;
  readonly pieces: readonly DiffPiece[];
  readonly changed_by: string;
  readonly is_own_change: boolean;
  readonly changed_at: string | null;
}

interface ErrorAnswer {
  readonly error?: { readonly message?: string };
}
