import { createContext, use } from "react";
import { flushSync } from "react-dom";
import { Connection } from "./connection";
import { draftKey, forgetDraft, forgetDrafts } from "./draftKeys";
import { keepFields } from "./keptFields";
import { claimReload, noteInterruption, takeInterruption } from "./newBuild";
import type { EventData, Fault, Handler, NavigateFrame, Page, ServerFrame, TreeNode, Variant } from "./protocol";
import { Readiness } from "./readiness";
import { setTimeZone } from "./dates";
import { forgetToken, goTo, exchangeCode } from "./session";
import { Signal, type Unsubscribe } from "./signal";
import { applyOperations } from "./tree";
import { inWorkspace, isSamePerson, noteEnd, takeLostWorkspace, withoutWorkspace } from "./workspace";

const MAX_EARLY_EVENTS = 50;
const MAX_FAULT_CHARACTERS = 500;
const AFTER_REFUSAL_MS = 1_000;
const PROBE_TIMEOUT_MS = 10_000;

/** A short message: a toast, which disappears after three seconds, or a notice, which must be read or offers something. */
export interface Message {
  readonly id: number;
  readonly message: string;
  readonly variant: Variant;
  /** Of an unexpected error, as in the log. */
  readonly errorId?: string;
  readonly undo?: Undo;
}

/** The button of a notice that undoes an action. */
export interface Undo {
  readonly label: string;
  readonly onUndo: () => void;
  /** The notice was closed or has disappeared. */
  readonly onClose: () => void;
}

export interface Move {
  readonly path: string;
  readonly replace: boolean;
  /** The server has already moved, so this move is not reported. */
  readonly isFollowing: boolean;
}

interface EarlyEvent {
  readonly target: () => Handler | undefined;
  readonly data: EventData;
  readonly onDone: () => void;
}

/** The browser side of one page: its tree, its socket, and its pending events. */
export class Runtime {
  readonly page: Page;
  readonly tree: Signal<TreeNode>;
  readonly title: Signal<string>;
  /** Whether the page has moved to another path since it was loaded. */
  readonly hasMoved = new Signal(false);
  readonly isHydrated = new Signal(false);
  readonly isConnected = new Signal(true);
  /** Whether the server answered the last ordinary request while the page is not connected. */
  readonly isServerReachable = new Signal(false);
  /** Why the server currently refuses the page. */
  readonly refusal = new Signal<string | null>(null);
  /** Why the server has paused the page. It continues automatically, with the state of the page. */
  readonly pause = new Signal<string | null>(null);
  /** Toasts that are shown or wait for space. */
  readonly toasts = new Signal<readonly Message[]>([]);
  /** What stays longer than a toast: until it is closed, or while it offers to undo something. */
  readonly notices = new Signal<readonly Message[]>([]);
  /** Why the last request of a form with `data-request` failed. */
  readonly requestFailure = new Signal<string | null>(null);
  /** The name of the draft of the form that was saved last. */
  readonly saved = new Signal<{ readonly form: string } | null>(null);
  readonly readiness = new Readiness(document.documentElement);
  /** Counts the responses to `hello`: a field compares it to detect a new server state. */
  mounts = 0;

  readonly #connection: Connection;
  /** After sign-out, nothing is sent anymore. */
  isSignedOut = false;
  /** The account was deleted, so unsaved text must be deleted, too. */
  isAccountDeleted = false;
  readonly #fields = new Set<(isFresh: boolean) => void>();
  readonly #exclusive = new Set<string>();
  #early: EarlyEvent[] = [];
  readonly #faults: Fault[] = [];
  #unreportedMove: (() => void) | undefined;
  #lastLocation = 0;
  #arrival: (() => void) | undefined;
  #messages = 0;
  #greetedPath = "";
  #isAsPainted = true;
  #hasLostEvent = takeInterruption();
  #hasGivenUp = false;
  #move: (move: Move) => void = ({ path }) => location.assign(this.page.base + path);
  #releaseMount: Unsubscribe;

  constructor(page: Page) {
    this.page = page;
    setTimeZone(page.timeZone);
    this.tree = new Signal(page.tree);
    this.title = new Signal(page.title);
    this.#releaseMount = this.readiness.hold();
    this.isHydrated.subscribe(this.readiness.hold());
    this.#connection = new Connection({
      address: location.origin + page.base,
      greet: () => {
        this.#greetedPath = this.path;
        // The mounted tree is complete or will be completed by patches.
        const { account, hash, build } = page;
        // The login page, to which a session that has ended leads, leads back to the workspace.
        const path = location.pathname.slice(page.base.length) + location.search;
        return { path, account, hash: this.#isAsPainted ? hash : null, complete: page.complete || this.mounts > 0, build };
      },
      onFrame: this.#receive,
      onLost: this.#lose,
      onSessionEnded: () => this.#leave(() => void this.#signInAgain()),
      probe: () => this.#probe(),
      onTooLarge: () => this.notify(this.t("That was too much to send at once. Upload long content as a file."), "error"),
    });
  }

  start(): void {
    addEventListener("vite:preloadError", this.#checkBuild);
    this.#connection.start();
    if (this.page.notice !== null) this.toast(this.page.notice, "info");
    if (!takeLostWorkspace(this.page.account)) return;
    this.notify(this.t("You no longer have access to the workspace that was open here. This is another one."));
  }

  stop(): void {
    removeEventListener("vite:preloadError", this.#checkBuild);
    this.#connection.stop();
  }

  /** The address of the page without the proxy's path prefix and the workspace. */
  get path(): string {
    return location.pathname.slice(this.page.base.length) + withoutWorkspace(location.search);
  }

  /** The translation of one of the client's own sentences. */
  readonly t = (sentence: string): string => this.page.strings[sentence] ?? sentence;

  readonly toast = (message: string, variant: Variant): void => {
    this.#add(this.toasts, { message, variant });
  };

  /** Shows a warning or an error until the person closes it: it says what to do. A hundred failed clicks show it once. */
  readonly notify = (message: string, variant: Variant = "warning", errorId?: string): void => {
    if (!isAmong(this.notices, message)) this.#add(this.notices, { message, variant, ...(errorId !== undefined && { errorId }) });
  };

  /** Called when the page shows another screen, which its errors are not about. */
  readonly removeErrors = (): void => {
    this.notices.set(this.notices.get().filter(({ variant }) => variant !== "error"));
  };

  /** Shows a notice with a button that undoes something. Returns a function that removes it. */
  readonly offerUndo = (message: string, undo: Undo): Unsubscribe => {
    const id = this.#add(this.notices, { message, variant: "success", undo });
    return () => this.removeMessage(id);
  };

  readonly removeMessage = (id: number): void => {
    for (const shown of [this.toasts, this.notices]) shown.set(shown.get().filter((each) => each.id !== id));
  };

  /** Navigates to a path that the person chose in a widget. */
  readonly go = (path: string): void => this.#move({ path, replace: false, isFollowing: false });

  readonly retry = (): void => this.#connection.retry();

  /**
   * Sends an event, or keeps it until the server is ready. The handler is looked up when the event is sent, because a new
   * connection may have renamed it. Returns the event's number, or 0 if it waits.
   */
  readonly emit = (target: () => Handler | undefined, data: EventData, onDone: () => void = () => undefined): number => {
    if (!this.#connection.isMounted) {
      if (this.#early.length < MAX_EARLY_EVENTS) this.#early.push({ target, data, onDone });
      else {
        this.notify(this.t("Too many actions at once. Wait a moment and try again."), "error");
        onDone();
      }
      return 0;
    }
    const handler = target();
    if (handler === undefined || this.#exclusive.has(handler.h)) {
      onDone();
      return 0;
    }
    if (handler.o !== undefined) this.#exclusive.add(handler.h);
    const release = this.readiness.hold();
    return this.#connection.sendEvent(handler.h, data, (outcome) => {
      if (outcome === "lost") this.#hasLostEvent = true;
      this.#exclusive.delete(handler.h);
      release();
      onDone();
    });
  };

  /** Forgets an event that waits for the server. */
  readonly withdraw = (data: EventData): void => {
    this.#early = this.#early.filter((each) => each.data !== data);
  };

  /** Like `emit`, for the content of a field. While the server is not ready, nothing is sent; the callbacks of `onListening` resend it. */
  readonly emitContent = (target: string, data: EventData, onRefused: () => void): number => {
    if (!this.#connection.isMounted) return 0;
    const release = this.readiness.hold();
    return this.#connection.sendEvent(target, data, (outcome) => {
      if (outcome === "refused") onRefused();
      release();
    });
  };

  /** Reports a failure in the browser to the server's log. */
  readonly reportFault = (id: string, part: string, message: string): void => {
    this.#faults.push({ id, part, message: message.slice(0, MAX_FAULT_CHARACTERS) });
    if (this.#connection.isMounted) this.#sendFaults();
  };

  /** Registers a callback for when the server is ready again, either with the same session or with a fresh one. */
  readonly onListening = (resend: (isFresh: boolean) => void): Unsubscribe => {
    this.#fields.add(resend);
    return () => {
      this.#fields.delete(resend);
    };
  };

  /** Reports a move to the server; `onShown` runs when the new screen has arrived. */
  readonly reportLocation = (onShown: () => void): void => {
    if (!this.#connection.isMounted) {
      this.#isAsPainted = false;
      this.#unreportedMove = onShown;
      return;
    }
    const release = this.readiness.hold();
    const { path } = this;
    this.#lastLocation = this.#connection.sendLocation(path, (outcome) => {
      if (outcome === "refused" && path === this.path) this.afterRefusal(() => this.reportLocation(onShown));
      else onShown();
      release();
    });
  };

  /** Retries after a delay, because the server refused an event that exceeded its rate limit. */
  readonly afterRefusal = (retry: () => void): void => {
    const release = this.readiness.hold();
    setTimeout(() => {
      retry();
      release();
    }, AFTER_REFUSAL_MS);
  };

  readonly bindMove = (move: (move: Move) => void): void => {
    this.#move = move;
  };

  /** The page has followed a move by the server; `onShown` runs when the new screen has arrived. */
  readonly awaitArrival = (onShown: () => void): void => {
    this.#endArrival();
    const release = this.readiness.hold();
    this.#arrival = () => {
      onShown();
      release();
    };
  };

  #add(shown: Signal<readonly Message[]>, message: Omit<Message, "id">): number {
    this.#messages += 1;
    shown.set([...shown.get(), { id: this.#messages, ...message }]);
    return this.#messages;
  }

  readonly #receive = (frame: ServerFrame): void => {
    switch (frame.type) {
      case "mount":
        if (!this.#followBuild(frame.build)) this.#mount(frame.tree, frame.title);
        break;
      case "resumed":
        this.#resume();
        break;
      case "patch":
        this.#patch(frame.ops);
        break;
      case "done":
      case "pong":
        break;
      case "title":
        this.#setTitle(frame.title);
        break;
      case "toast":
        if (frame.variant === "error" || frame.variant === "warning") this.notify(frame.message, frame.variant, frame.error_id);
        else this.toast(frame.message, frame.variant);
        break;
      case "refused":
        if (this.#connection.isMounted) this.notify(frame.sentence, "error");
        else this.refusal.set(frame.sentence);
        break;
      case "paused":
        this.pause.set(frame.sentence);
        break;
      case "navigate":
        this.#navigate(frame);
        break;
      case "arrived":
        this.#endArrival();
        break;
      case "handover":
        void this.#exchangeCode(frame.code, frame.next, frame.remember ?? true);
        break;
      case "ended":
        document.body.hidden = true;
        break;
      case "signed_out":
        this.isSignedOut = true;
        this.isAccountDeleted = frame.forget === true;
        if (this.isAccountDeleted) forgetDrafts(this.page.account);
        this.#leave((base) => goTo(base, frame.next));
        break;
      case "saved":
        forgetDraft(draftKey(this.page.account, frame.form));
        this.saved.set(frame);
        break;
      case "download":
        this.#download(frame.url);
        break;
    }
  };

  /** A move that the server started before it received the person's last one is outdated: the person's move wins. */
  #navigate({ path, replace = false, reload = false, after = this.#lastLocation }: NavigateFrame): void {
    const isOutdated = after < this.#lastLocation;
    const isExternal = /^https?:/.test(path);
    if (reload && !isExternal) this.#load(isOutdated ? this.path : path, replace);
    else if (isOutdated) return;
    else if (isExternal) this.#load(path);
    else this.#move({ path, replace, isFollowing: true });
  }

  #endArrival(): void {
    const arrive = this.#arrival;
    this.#arrival = undefined;
    arrive?.();
  }

  #mount(tree: TreeNode | null, title: string): void {
    this.mounts += 1;
    this.#lastLocation = 0;
    if (tree !== null) {
      this.#isAsPainted = false;
      flushSync(() => this.tree.set(tree));
    }
    this.#setTitle(title);
    this.#endArrival();
    const onShown = this.#unreportedMove;
    this.#unreportedMove = undefined;
    if (onShown !== undefined) {
      if (this.path === this.#greetedPath) onShown();
      else this.reportLocation(onShown); // The page moved while the server answered.
    }
    this.#listenAgain(true);
  }

  /** The server still has the session, and both sides have resent what the other had not received. */
  #resume(): void {
    const onShown = this.#unreportedMove;
    this.#unreportedMove = undefined;
    if (onShown !== undefined) this.reportLocation(onShown);
    this.#listenAgain(false);
  }

  /** Sends the content of fields first, because clicks since then may depend on it. */
  #listenAgain(isFresh: boolean): void {
    this.isConnected.set(true);
    this.isServerReachable.set(false);
    this.refusal.set(null);
    this.#sendFaults();
    for (const resend of this.#fields) resend(isFresh);
    const early = this.#early;
    this.#early = [];
    for (const { target, data, onDone } of early) {
      if (isFresh && this.mounts > 1 && target() === undefined) this.#hasLostEvent = true; // The new session has no such element.
      this.emit(target, data, onDone);
    }
    if (this.#hasLostEvent) this.notify(this.t("The connection was interrupted. Check whether your last action went through."));
    this.#hasLostEvent = false;
    this.#releaseMount();
  }

  #sendFaults(): void {
    for (const fault of this.#faults.splice(0)) this.#connection.sendFault(fault);
  }

  #patch(operations: Parameters<typeof applyOperations>[1]): void {
    this.#isAsPainted = false;
    let next: TreeNode;
    try {
      next = applyOperations(this.tree.get(), operations);
    } catch (error) {
      console.error("A change from the server did not fit the page; loading the whole tree.", error);
      this.#connection.restart();
      return;
    }
    this.tree.set(next);
  }

  #setTitle(title: string): void {
    document.title = title;
    this.title.set(title);
  }

  readonly #lose = (): void => {
    this.#releaseMount();
    this.#releaseMount = this.readiness.hold();
    this.isConnected.set(false);
    this.pause.set(null);
  };

  #load(path: string, replace = false): void {
    // The response to `hello`: the account that this page was rendered for is no longer signed in.
    if (!this.#connection.isMounted) this.#keepFields();
    this.readiness.hold();
    const address = /^https?:/.test(path) ? path : this.page.base + path;
    if (replace) location.replace(address);
    else location.assign(address);
  }

  async #exchangeCode(code: string, next: string, remember: boolean): Promise<void> {
    const release = this.readiness.hold();
    const failure = await exchangeCode(this.page.base, code, next, remember);
    if (failure === null) return;
    release();
    this.requestFailure.set(failure || this.t("Something went wrong"));
  }

  #leave(go: (base: string) => unknown): void {
    if (this.#hasGivenUp) return;
    this.#hasGivenUp = true;
    this.#connection.stop();
    forgetToken();
    this.readiness.hold();
    go(this.page.base);
  }

  /**
   * A blocked connection looks like a dead server. One small request shows whether the server responds, and whether the session has
   * ended or the server has another build.
   */
  async #probe(): Promise<boolean> {
    this.refusal.set(null);
    const state = await askServer(this.page.base);
    this.isServerReachable.set(state !== null);
    if (state === "signed out" || (state !== null && !isSamePerson(state.account, this.page.account))) void this.#signInAgain();
    else if (state !== null) this.#followBuild(state.build);
    return state !== null;
  }

  /** Called when the server has refused a request because of its sender. */
  readonly checkSession = (): void => {
    void this.#probe();
  };

  /** Called when a chunk could not be fetched: a new build may have removed it. */
  readonly #checkBuild = (): void => {
    void askServer(this.page.base).then((state) => {
      if (state !== null && state !== "signed out") this.#followBuild(state.build);
    });
  };

  /** Returns whether the page is reloading because the server has another build. */
  #followBuild(build: string): boolean {
    if (this.#hasGivenUp) return true;
    if (build === this.page.build || !claimReload(build)) return false;
    if (this.#hasLostEvent || this.#early.length > 0) noteInterruption();
    this.#hasGivenUp = true;
    this.#connection.stop();
    this.readiness.hold();
    this.#keepFields();
    location.reload();
    return true;
  }

  /**
   * Shows nothing more of this page, and loads it again: the server redirects to the login page, which leads back here. Someone who is no longer
   * a member of its workspace gets the page of another one at this address.
   */
  async #signInAgain(): Promise<void> {
    const { account, base } = this.page;
    document.body.hidden = true; // loading takes a moment
    noteEnd(account);
    this.#keepFields();
    if (await isMember(base, account)) location.reload();
    else location.replace(base + this.path);
  }

  /** Saves the fields now and again when the page is unloaded, because people can keep typing until the next page arrives. */
  #keepFields(): void {
    keepFields(this.page.account);
    const keepAgain = (): void => {
      if (!this.isSignedOut) keepFields(this.page.account);
    };
    addEventListener("pagehide", keepAgain, { once: true });
  }

  #download(url: string): void {
    const link = document.createElement("a");
    link.href = inWorkspace(this.page.account, url);
    link.download = "";
    link.click();
  }
}

const isAmong = (shown: Signal<readonly Message[]>, message: string): boolean => shown.get().some((each) => each.message === message);

interface ServerState {
  readonly account: string | null;
  readonly build: string;
}

/** The response to `GET /connection`; null if the server does not respond or something else responds instead. */
async function askServer(base: string): Promise<ServerState | "signed out" | null> {
  try {
    const answer = await fetch(`${base}/connection`, { redirect: "manual", signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    // A proxy with its own sign-in redirects or refuses.
    if (answer.type === "opaqueredirect" || answer.status === 401) return "signed out";
    return answer.ok ? ((await answer.json()) as ServerState) : null;
  } catch {
    return null;
  }
}

/** Whether the account of a page is still a member of its workspace, as far as the server says. */
async function isMember(base: string, account: string | null): Promise<boolean> {
  if (account?.includes("/") !== true) return true;
  const answer = await fetch(inWorkspace(account, `${base}/connection`), { redirect: "manual", signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) }).catch(() => null);
  return answer?.status !== 404;
}

export const RuntimeContext = createContext<Runtime | null>(null);

export function useRuntime(): Runtime {
  const runtime = use(RuntimeContext);
  if (runtime === null) throw new Error("This part must stand inside the runtime.");
  return runtime;
}
