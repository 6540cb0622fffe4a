import type { ClientFrame, EventData, ServerFrame } from "./protocol";

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 10_000;
const CLOSED_BY_US = 1000;
const SESSION_ENDED = 4401;

/** What became of an event: handled, turned away because there were too many, or sent into a connection that was lost. */
export type Outcome = "done" | "refused" | "lost";
type OnEnd = (outcome: Outcome) => void;

export interface ConnectionOptions {
  readonly url: string;
  /** Where the page is and the hash of the tree it shows (null once it was patched), for `hello`. */
  readonly greet: () => { readonly path: string; readonly hash: string | null };
  readonly onFrame: (frame: ServerFrame) => void;
  readonly onLost: () => void;
  readonly onSessionEnded: () => void;
  /** Called after a handshake that failed: the server may be down, or it may refuse us. */
  readonly onRefused: () => void;
}

/** The socket: says hello, numbers what it sends, and comes back when it is lost. */
export class Connection {
  readonly #options: ConnectionOptions;
  #socket: WebSocket | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #seq = 0;
  #isMounted = false;
  #isStopped = false;
  readonly #unanswered = new Map<number, OnEnd>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Whether the server has answered `hello`, so that events have somewhere to go. */
  get isMounted(): boolean {
    return this.#isMounted;
  }

  start(): void {
    addEventListener("online", this.#retryNow);
    document.addEventListener("visibilitychange", this.#retryWhenSeen);
    addEventListener("pageshow", this.#retryNow);
    this.#connect();
  }

  stop(): void {
    this.#isStopped = true;
    removeEventListener("online", this.#retryNow);
    document.removeEventListener("visibilitychange", this.#retryWhenSeen);
    removeEventListener("pageshow", this.#retryNow);
    clearTimeout(this.#timer);
    this.#socket?.close(CLOSED_BY_US);
  }

  /** Drops the socket and takes a new one, which brings the whole tree. */
  restart(): void {
    this.#socket?.close(CLOSED_BY_US);
  }

  sendEvent(target: string, data: EventData, onEnd: OnEnd): number {
    return this.#send((seq) => ({ type: "event", seq, target, data }), onEnd);
  }

  sendLocation(path: string, onEnd: OnEnd): number {
    return this.#send((seq) => ({ type: "location", seq, path }), onEnd);
  }

  #send(frame: (seq: number) => ClientFrame, onEnd: OnEnd): number {
    const seq = ++this.#seq;
    this.#unanswered.set(seq, onEnd);
    this.#socket?.send(JSON.stringify(frame(seq)));
    return seq;
  }

  #connect(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const socket = new WebSocket(this.#options.url);
    let wasOpen = false;
    this.#socket = socket;
    socket.addEventListener("open", () => {
      wasOpen = true;
      this.#seq = 0;
      socket.send(JSON.stringify({ type: "hello", ...this.#options.greet() } satisfies ClientFrame));
    });
    socket.addEventListener("message", (message: MessageEvent<string>) => {
      this.#receive(JSON.parse(message.data) as ServerFrame);
    });
    socket.addEventListener("close", (event) => {
      if (this.#isStopped || socket !== this.#socket) return;
      this.#lose();
      if (event.code === SESSION_ENDED) {
        this.#options.onSessionEnded();
        return;
      }
      if (!wasOpen) this.#options.onRefused();
      this.#retryLater();
    });
  }

  #receive(frame: ServerFrame): void {
    if (frame.type === "mount") {
      this.#isMounted = true;
      this.#failures = 0;
    }
    this.#options.onFrame(frame);
    if (frame.type !== "done") return;
    const onEnd = this.#unanswered.get(frame.seq);
    this.#unanswered.delete(frame.seq);
    onEnd?.(frame.refused === true ? "refused" : "done");
  }

  #lose(): void {
    this.#socket = undefined;
    this.#isMounted = false;
    const abandoned = [...this.#unanswered.values()];
    this.#unanswered.clear();
    this.#options.onLost();
    for (const onEnd of abandoned) onEnd("lost");
  }

  #retryLater(): void {
    const delay = Math.min(FIRST_DELAY_MS * 2 ** this.#failures, LONGEST_DELAY_MS);
    this.#failures += 1;
    // Spread out, so that a server that comes back is not met by everybody at once.
    this.#timer = setTimeout(() => this.#connect(), delay * (0.75 + Math.random() / 2));
  }

  readonly #retryNow = (): void => {
    if (this.#timer !== undefined) this.#connect();
  };

  readonly #retryWhenSeen = (): void => {
    if (document.visibilityState === "visible") this.#retryNow();
  };
}
