import { Press } from "./press";
import type { ClientFrame, EventData, Fault, ServerFrame } from "./protocol";
import { type Transport, Transports } from "./transport";

const FIRST_DELAY_MS = 250;
const LONG_DELAY_MS = 10_000;
const LONG_DELAYS = 10;
const LONGEST_DELAY_MS = 120_000;
const STABLE_AFTER_MS = 5_000;
const PING_AFTER_MS = 20_000;
const PING_AFTER_FRAMES = 50;
const PATIENCE_MS = 10_000;
const MAX_CHARACTERS = 1_000_000;
const LEFT = 1000;
const GIVEN_UP = 4000;
const SESSION_ENDED = 4401;

/** The result of an event: handled, refused because there were too many, or lost with its session. */
export type Outcome = "done" | "refused" | "lost";
type OnEnd = (outcome: Outcome) => void;

export interface ConnectionOptions {
  /** The origin and path prefix of the server. */
  readonly address: string;
  /** The content of `hello`: the path, whom the page is for, the hash of the tree (null after a patch), whether the screen is complete, and the build. */
  readonly greet: () => {
    readonly path: string;
    readonly account: string | null;
    readonly hash: string | null;
    readonly complete: boolean;
    readonly build: string;
  };
  readonly onFrame: (frame: ServerFrame) => void;
  readonly onLost: () => void;
  readonly onSessionEnded: () => void;
  /** Called when a frame was not sent because it exceeds the size that the server accepts. */
  readonly onTooLarge: () => void;
  /** Called when nothing was received on a connection. Resolves to whether the server responds to other requests. */
  readonly probe: () => Promise<boolean>;
}

type Numbered = Extract<ClientFrame, { readonly seq: number }>;

interface Unanswered {
  readonly frame: Numbered;
  readonly onEnd: OnEnd;
}

/**
 * The connection to the server. It sends `hello`, numbers its frames, and reconnects when it is lost. If the server still has the
 * page's session, both sides then resend what the other has not received; otherwise unanswered frames are lost.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #transports: Transports;
  readonly #press = new Press();
  #transport: Transport | undefined;
  #hasHeard = false;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #alarm: ReturnType<typeof setTimeout> | undefined;
  #stability: ReturnType<typeof setTimeout> | undefined;
  /** Attempts since the last stable connection. */
  #failures = 0;
  #session: string | undefined;
  #seq = 0;
  #received = 0;
  #reported = 0;
  #isMounted = false;
  #isStopped = false;
  /** The person has retried a page of which a part cannot be loaded, so it may be mounted without that part. */
  #acceptsIncomplete = false;
  readonly #unanswered = new Map<number, Unanswered>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#transports = new Transports(options.address);
  }

  /** Whether the server has responded to `hello`, so that events can be sent. */
  get isMounted(): boolean {
    return this.#isMounted;
  }

  start(): void {
    this.#press.start();
    addEventListener("offline", this.#drop);
    addEventListener("online", this.#reconnect);
    document.addEventListener("visibilitychange", this.#lookAliveWhenSeen);
    addEventListener("pageshow", this.#lookAlive);
    if (this.#transports.isBlocked) void this.#transports.recall().then(() => this.#connect());
    else this.#connect();
  }

  stop(): void {
    this.#isStopped = true;
    this.#press.stop();
    removeEventListener("offline", this.#drop);
    removeEventListener("online", this.#reconnect);
    document.removeEventListener("visibilitychange", this.#lookAliveWhenSeen);
    removeEventListener("pageshow", this.#lookAlive);
    clearTimeout(this.#retry);
    clearTimeout(this.#alarm);
    clearTimeout(this.#stability);
    this.#transport?.close(LEFT);
  }

  /** Closes the connection and the session, and opens new ones, so that the server sends the whole tree. */
  restart(): void {
    this.#session = undefined;
    this.#transport?.close(LEFT);
  }

  /** Retries immediately instead of waiting for the server or the next attempt. */
  retry(): void {
    if (this.#retry !== undefined) this.#connect();
    else if (this.#hasHeard) {
      this.#acceptsIncomplete = true;
      this.restart();
    } // otherwise an attempt is already in progress
  }

  sendEvent(target: string, data: EventData, onEnd: OnEnd): number {
    return this.#send((seq, received) => ({ type: "event", seq, received, target, data }), onEnd);
  }

  sendLocation(path: string, onEnd: OnEnd): number {
    return this.#send((seq, received) => ({ type: "location", seq, received, path }), onEnd);
  }

  sendFault(fault: Fault): number {
    return this.#send((seq, received) => ({ type: "fault", seq, received, ...fault }), () => undefined);
  }

  #send(make: (seq: number, received: number) => Numbered, onEnd: OnEnd): number {
    const seq = this.#seq + 1;
    const frame = make(seq, this.#received);
    if (JSON.stringify(frame).length > MAX_CHARACTERS) {
      // The server would refuse the frame, or close the connection, after which the frame would be sent again.
      this.#options.onTooLarge();
      onEnd("done");
      return 0;
    }
    this.#seq = seq;
    this.#reported = this.#received;
    this.#unanswered.set(seq, { frame, onEnd });
    this.#write(frame);
    return seq;
  }

  #write(frame: ClientFrame): void {
    this.#transport?.send(JSON.stringify(frame));
  }

  #connect(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    if (this.#isStopped) return;
    const transport = this.#transports.open();
    this.#transport = transport;
    this.#hasHeard = false;
    this.#expectWithin(PATIENCE_MS);
    transport.addEventListener("open", () => {
      const earlier = this.#session === undefined ? {} : { session: this.#session, received: this.#received };
      const greeting = this.#options.greet();
      const complete = greeting.complete && !this.#acceptsIncomplete;
      if (transport === this.#transport) this.#write({ type: "hello", ...greeting, complete, ...earlier });
    });
    const listen = (name: string, handle: (event: Event) => void): void => {
      transport.addEventListener(name, (event) =>
        this.#press.after(() => {
          if (!this.#isStopped && transport === this.#transport) handle(event);
        }),
      );
    };
    listen("message", (message) => {
      if (!this.#hasHeard) this.#transports.heard(transport);
      this.#hasHeard = true;
      this.#receive(JSON.parse((message as MessageEvent<string>).data) as ServerFrame);
    });
    listen("close", (event) => {
      this.#lose();
      if ((event as CloseEvent).code === SESSION_ENDED) {
        this.#options.onSessionEnded();
        return;
      }
      this.#retryLater();
      if (!this.#hasHeard) void this.#diagnose(transport, { hasTimedOut: false });
    });
  }

  /** Nothing was received: the server may be down, the session may have ended, or a proxy may block this kind of transport. */
  async #diagnose(transport: Transport, how: { readonly hasTimedOut: boolean }): Promise<void> {
    if ((await this.#options.probe()) && (await this.#transports.failed(transport, how)) && this.#retry !== undefined) this.#connect();
  }

  #receive(frame: ServerFrame): void {
    this.#listen();
    switch (frame.type) {
      case "mount":
        this.#session = frame.session;
        this.#acceptsIncomplete = false;
        this.#received = 0;
        this.#reported = 0;
        this.#seq = 0;
        this.#settle();
        this.#abandon();
        break;
      case "resumed":
        this.#settle();
        for (const [seq, { frame: unseen }] of this.#unanswered) if (seq > frame.seq) this.#write(unseen);
        break;
      default:
        if (!this.#isMounted) break; // It belongs to no session, and may come from a process that does not have this page's session.
        this.#received += 1;
        if (this.#received - this.#reported >= PING_AFTER_FRAMES) this.#ping();
    }
    this.#options.onFrame(frame);
    if (frame.type !== "done") return;
    const unanswered = this.#unanswered.get(frame.seq);
    this.#unanswered.delete(frame.seq);
    unanswered?.onEnd(frame.refused === true ? "refused" : "done");
  }

  /** The session is new: frames of the previous session are lost. */
  #abandon(): void {
    const abandoned = [...this.#unanswered.values()];
    this.#unanswered.clear();
    for (const { onEnd } of abandoned) onEnd("lost");
  }

  /** The server has accepted the page. The connection may still fail soon, so the delays start over only after a while. */
  #settle(): void {
    this.#isMounted = true;
    this.#stability = setTimeout(() => {
      this.#failures = 0;
    }, STABLE_AFTER_MS);
  }

  #lose(): void {
    clearTimeout(this.#alarm);
    clearTimeout(this.#stability);
    this.#transport = undefined;
    this.#isMounted = false;
    this.#options.onLost();
  }

  #retryLater(): void {
    // Randomized, so that not all pages reconnect at the same moment after a restart of the server.
    this.#retry = setTimeout(() => this.#connect(), delayAfter(this.#failures) * (0.75 + Math.random() / 2));
    this.#failures += 1;
  }

  /** A frame arrived: the connection is alive. After some silence, send a ping, which also acknowledges received frames. */
  #listen(): void {
    clearTimeout(this.#alarm);
    this.#alarm = setTimeout(this.#ping, PING_AFTER_MS);
  }

  readonly #ping = (): void => {
    this.#write({ type: "ping", received: this.#received });
    this.#reported = this.#received;
    this.#expectWithin(PATIENCE_MS);
  };

  /** A connection can be dead without a notification, for example after a network change or sleep. */
  #expectWithin(patience: number): void {
    clearTimeout(this.#alarm);
    this.#alarm = setTimeout(() => {
      const transport = this.#transport;
      this.#drop();
      if (transport !== undefined && !this.#hasHeard) void this.#diagnose(transport, { hasTimedOut: true });
    }, patience);
  }

  /** Closes the connection when there is no response or the browser is offline. TCP alone would wait for minutes. */
  readonly #drop = (): void => {
    const transport = this.#transport;
    if (transport === undefined) return;
    this.#lose();
    transport.close(GIVEN_UP);
    this.#retryLater();
  };

  /** The network is available again: abandon attempts that began without it. */
  readonly #reconnect = (): void => {
    if (this.#isMounted) this.#ping();
    else {
      this.#drop();
      this.#connect();
    }
  };

  readonly #lookAlive = (): void => {
    if (this.#retry !== undefined) this.#connect();
    else if (this.#isMounted) this.#ping();
  };

  readonly #lookAliveWhenSeen = (): void => {
    if (document.visibilityState === "visible") this.#lookAlive();
  };
}

/** Grows to 10 s, stays there as long as a restart may take, and then grows to 2 minutes. */
function delayAfter(failures: number): number {
  const delay = Math.min(FIRST_DELAY_MS * 2 ** failures, LONG_DELAY_MS);
  const late = failures - Math.log2(LONG_DELAY_MS / FIRST_DELAY_MS) - LONG_DELAYS;
  return late > 0 ? Math.min(delay * 2 ** late, LONGEST_DELAY_MS) : delay;
}
