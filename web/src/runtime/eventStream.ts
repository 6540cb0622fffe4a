import type { Transport } from "./transport";

const MAX_FRAMES = 50;
const MAX_CHARACTERS = 1_000_000;
const LEFT = 1000;
const GOING_AWAY = 1001;
const ABNORMAL = 1006;

/**
 * Server-sent events from the server and POST requests to it, for networks that block WebSockets. The first frame opens the stream;
 * the others are posted one request at a time, so that they arrive in order.
 */
export class EventStream extends EventTarget implements Transport {
  readonly #url: string;
  readonly #aborting = new AbortController();
  readonly #frames: string[] = [];
  /** The secret that identifies the stream to the server. */
  #key: string | undefined;
  #posts = 0;
  #isOpening = false;
  #isPosting = false;
  #isOver = false;

  constructor(url: string) {
    super();
    this.#url = url;
    addEventListener("pagehide", this.#leave);
    queueMicrotask(() => this.dispatchEvent(new Event("open")));
  }

  send(text: string): void {
    if (this.#isOpening) {
      this.#frames.push(text);
      void this.#post();
    } else {
      this.#isOpening = true;
      void this.#open(text);
    }
  }

  close(code = LEFT): void {
    if (this.#isOver) return;
    if (this.#key !== undefined) void this.#request("/close", String(code), { keepalive: true }).catch(() => undefined);
    this.#end(code);
  }

  /** When a page is left, the browser closes its WebSocket but only cuts a stream, so the server would wait for the page to return. */
  readonly #leave = (): void => this.close(GOING_AWAY);

  #request(path: string, body: string, options: RequestInit = {}): Promise<Response> {
    const headers: Record<string, string> = { "Content-Type": "text/plain", "X-Requested-With": "fundwright" };
    if (this.#key !== undefined) Object.assign(headers, { "X-Stream": this.#key, "X-Stream-Post": String(this.#posts) });
    return fetch(this.#url + path, { method: "POST", credentials: "same-origin", cache: "no-store", headers, body, ...options });
  }

  async #open(hello: string): Promise<void> {
    try {
      const answer = await this.#request("", hello, { signal: this.#aborting.signal });
      if (answer.ok && answer.body !== null) await this.#read(answer.body);
      else if (answer.status === 403) await this.#explain(answer);
    } catch {
      // Any failure means that the connection is lost.
    }
    this.#end(ABNORMAL);
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let text = "";
    while (!this.#isOver) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const events = text.split("\n\n");
      text = events.pop() ?? "";
      for (const event of events) this.#take(event);
    }
  }

  #take(event: string): void {
    let name = "message";
    let data: string | undefined;
    for (const line of event.split("\n")) {
      if (line.startsWith("event: ")) name = line.slice(7);
      else if (line.startsWith("data: ")) data = line.slice(6);
    }
    if (data === undefined || this.#isOver) return; // a comment, which keeps proxies from ending a response that sends nothing
    if (name === "key") {
      this.#key = data;
      void this.#post();
    } else if (name === "close") this.#end(Number(data));
    else this.dispatchEvent(new MessageEvent("message", { data }));
  }

  async #explain(answer: Response): Promise<void> {
    const { error } = (await answer.json()) as { readonly error: { readonly message: string } };
    const data = JSON.stringify({ type: "refused", sentence: error.message });
    this.dispatchEvent(new MessageEvent("message", { data }));
  }

  async #post(): Promise<void> {
    if (this.#isPosting || this.#key === undefined) return;
    this.#isPosting = true;
    while (this.#frames.length > 0 && !this.#isOver) {
      this.#posts += 1;
      const answer = await this.#request("/frames", this.#batch(), { signal: this.#aborting.signal }).catch(() => null);
      // The post may or may not have arrived. When the page reconnects, both sides resend what is missing.
      if (answer?.ok !== true) this.#end(ABNORMAL);
    }
    this.#isPosting = false;
  }

  /** Takes as many waiting frames as fit into one request. */
  #batch(): string {
    let count = 0;
    let characters = 0;
    for (const frame of this.#frames.slice(0, MAX_FRAMES)) {
      characters += frame.length;
      if (count > 0 && characters > MAX_CHARACTERS) break;
      count += 1;
    }
    return this.#frames.splice(0, count).join("\n");
  }

  #end(code: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    removeEventListener("pagehide", this.#leave);
    this.#aborting.abort();
    queueMicrotask(() => this.dispatchEvent(new CloseEvent("close", { code })));
  }
}
