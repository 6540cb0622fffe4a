import type { EventStream } from "./eventStream";
import { ofTab } from "./storage";

/** Carries text frames in order in both directions, with the events `open`, `message`, and `close` of a WebSocket. */
export interface Transport extends EventTarget {
  send(text: string): void;
  close(code?: number): void;
}

/** The time when this tab found WebSockets blocked, so that its next page need not test them again. */
const KEY = "sockets-blocked-at";
const TRY_SOCKETS_AFTER_MS = 10 * 60_000;
const FAILURES_BEFORE_FALLBACK = 2;

/** Opens WebSockets, or event streams if something between the browser and the server blocks WebSockets. */
export class Transports {
  readonly #address: string;
  #Stream: typeof EventStream | undefined;
  /** The number of consecutive WebSockets that received nothing while the server answered other requests. */
  #failures = 0;

  /** `address` is the origin and path prefix of the server. */
  constructor(address: string) {
    this.#address = address;
  }

  /** Whether this tab has recently found WebSockets blocked. */
  get isBlocked(): boolean {
    return Date.now() - Number(ofTab.get(KEY) ?? 0) < TRY_SOCKETS_AFTER_MS;
  }

  /** Loads the event stream. If WebSockets are known to be blocked, this must finish before the first `open`. */
  async recall(): Promise<void> {
    await this.#load();
  }

  open(): Transport {
    if (this.#Stream !== undefined && this.isBlocked) return new this.#Stream(`${this.#address}/stream`);
    return new WebSocket(`${this.#address.replace(/^http/, "ws")}/socket`);
  }

  heard(transport: Transport): void {
    if (transport instanceof WebSocket) this.#failures = 0;
  }

  /**
   * Nothing was received on `transport` although the server responds to other requests; `hasTimedOut` if it did not even close.
   * Returns whether to try another kind of transport now.
   */
  async failed(transport: Transport, { hasTimedOut }: { readonly hasTimedOut: boolean }): Promise<boolean> {
    if (!(transport instanceof WebSocket)) {
      ofTab.remove(KEY);
      this.#failures = 0;
      return false;
    }
    this.#failures += hasTimedOut ? FAILURES_BEFORE_FALLBACK : 1;
    if (this.#failures < FAILURES_BEFORE_FALLBACK || !(await this.#load())) return false;
    ofTab.set(KEY, String(Date.now()));
    return true;
  }

  async #load(): Promise<boolean> {
    try {
      this.#Stream = (await import("./eventStream")).EventStream;
      return true;
    } catch {
      return false; // The network is lost, or there is a newer build: the next attempt shows which.
    }
  }
}
