import { vi } from "vitest";
import type { ClientFrame, ServerFrame } from "../runtime/protocol";

interface Options {
  /** The account that the cookie belongs to. */
  readonly account?: string | null;
  readonly build?: string;
  readonly isDown?: boolean;
}

interface Stream {
  readonly write: (text: string) => void;
  readonly cut: () => void;
}

/** Replaces `fetch`: says who is signed in, and opens event streams whose content the test provides. */
export class FakeServer {
  account: string | null;
  build: string;
  isDown: boolean;
  /** The received requests, in order. */
  readonly requests: string[] = [];
  /** The frames received on the last stream, in order. */
  sent: ClientFrame[] = [];
  /** Holds the answers to posted frames until the test releases them. */
  isHolding = false;
  /** Makes streams fail, like a proxy that cannot forward them. */
  breaksStreams = false;
  /** The sentence with which streams are refused. */
  refusal: string | null = null;
  readonly #held: (() => void)[] = [];
  #stream: Stream | undefined;

  private constructor({ account = null, build = "b", isDown = false }: Options) {
    this.account = account;
    this.build = build;
    this.isDown = isDown;
  }

  static start(options: Options = {}): FakeServer {
    const server = new FakeServer(options);
    vi.stubGlobal("fetch", server.#answer);
    return server;
  }

  readonly #answer = async (address: string, { method = "GET", body, headers = {}, signal }: RequestInit = {}): Promise<Response> => {
    const path = address.replace(/^https?:\/\/[^/]+/, "");
    this.requests.push(`${method} ${path}`);
    if (this.isDown) throw new TypeError("The server is down.");
    switch (path) {
      case "/connection":
        return Response.json({ account: this.account, build: this.build });
      case "/stream":
        if (this.breaksStreams) return new Response("Bad gateway", { status: 502 });
        if (this.refusal !== null) return Response.json({ error: { message: this.refusal } }, { status: 403 });
        return this.#open(body as string, signal);
      case "/stream/frames":
        if ((headers as Record<string, string>)["X-Stream"] !== "key") return new Response(null, { status: 404 });
        this.#take(body as string);
        if (this.isHolding) await new Promise<void>((resolve) => this.#held.push(resolve));
        return new Response(null, { status: 204 });
      default:
        return new Response(null, { status: path === "/stream/close" ? 204 : 404 });
    }
  };

  #open(hello: string, signal: AbortSignal | null | undefined): Response {
    this.sent = [];
    this.#take(hello);
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#stream = { write: (text) => controller.enqueue(encoder.encode(text)), cut: () => controller.error(new TypeError("lost")) };
        signal?.addEventListener("abort", () => controller.error(new DOMException("Aborted", "AbortError")));
      },
    });
    return new Response(body);
  }

  #take(text: string): void {
    this.sent.push(...text.split("\n").map((line) => JSON.parse(line) as ClientFrame));
  }

  /** Writes raw text to the last stream. */
  write(text: string): void {
    this.#stream?.write(text);
  }

  say(...frames: ServerFrame[]): void {
    for (const frame of frames) this.write(`data: ${JSON.stringify(frame)}\n\n`);
  }

  cut(): void {
    this.#stream?.cut();
  }

  release(): void {
    for (const resolve of this.#held.splice(0)) resolve();
  }
}
