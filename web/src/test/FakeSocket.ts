import type { ClientFrame, ServerFrame } from "../runtime/protocol";

/** Replaces the browser's WebSocket; the test acts as the server. */
export class FakeSocket extends EventTarget {
  static readonly all: FakeSocket[] = [];

  static get last(): FakeSocket {
    const socket = FakeSocket.all.at(-1);
    if (socket === undefined) throw new Error("No socket was opened.");
    return socket;
  }

  readonly url: string;
  readonly sent: ClientFrame[] = [];

  constructor(url: string) {
    super();
    this.url = url;
    FakeSocket.all.push(this);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text) as ClientFrame);
  }

  open(): void {
    this.dispatchEvent(new Event("open"));
  }

  receive(frame: ServerFrame): void {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(frame) }));
  }

  close(code = 1006): void {
    this.dispatchEvent(new CloseEvent("close", { code }));
  }
}
