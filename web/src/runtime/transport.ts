import type { EventStream } from "./eventStream";

/** Carries frames, which are text, in order and both ways. A WebSocket is one; it tells of `open`, `message`, and `close`. */
export interface Transport extends EventTarget {
  send(text: string): void;
  close(code?: number): void;
}

/** When this tab found WebSockets blocked: the next page of the tab need not find out again. */
const KEY = "sockets-blocked-at";
const TRY_SOCKETS_AFTER_MS = 10 * 60_000;
const ENOUGH_FAILURES = 2;

/** Opens WebSockets, and event streams where something between the browser and the server refuses WebSockets. */
export class Transports {
  readonly #address: string;
  #Stream: typeof EventStream | undefined;
  /** WebSockets in a row on which nothing was heard although the server answers other requests. */
  #failures = 0;

  /** `address` is the origin and path that everything of the server is under. */
  constructor(address: string) {
    this.#address = address;
  }

  /** Whether this tab has lately found WebSockets blocked. */
  get isBlocked(): boolean {
    return Date.now() - Number(sessionStorage.getItem(KEY) ?? 0) < TRY_SOCKETS_AFTER_MS;
  }

  /** Has to end before the first `open` where WebSockets are known to be blocked. */
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
   * Nothing was heard on `transport`, though the server answers other requests; `isHopeless` when it even took its whole time.
   * Returns whether another kind of transport is to be tried now.
   */
  async failed(transport: Transport, { isHopeless }: { readonly isHopeless: boolean }): Promise<boolean> {
    if (!(transport instanceof WebSocket)) {
      sessionStorage.removeItem(KEY);
      this.#failures = 0;
      return false;
    }
    this.#failures += isHopeless ? ENOUGH_FAILURES : 1;
    if (this.#failures < ENOUGH_FAILURES || !(await this.#load())) return false;
    sessionStorage.setItem(KEY, String(Date.now()));
    return true;
  }

  async #load(): Promise<boolean> {
    try {
      this.#Stream = (await import("./eventStream")).EventStream;
      return true;
    } catch {
      return false; // The network is gone, or there is a newer build: the next attempt finds out which.
    }
  }
}
