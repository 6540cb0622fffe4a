import { act, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeServer } from "../test/FakeServer";
import { FakeSocket } from "../test/FakeSocket";
import { closePages, type OpenedPage, openPage } from "../test/openPage";
import type { ServerFrame, TreeNode } from "./protocol";

const press: TreeNode = { t: "button", e: { onClick: { h: "press" } }, c: ["Press"] };
const mounted: ServerFrame = { type: "mount", tree: null, title: "Start", session: "s", build: "b" };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (duration = 0) => act(() => vi.advanceTimersByTimeAsync(duration));

/** A page whose WebSockets are refused at once, as by a proxy that does not support them. */
async function openBlocked(): Promise<OpenedPage> {
  const page = await openPage(press, { isMounted: false });
  await refuse(2);
  return page;
}

async function refuse(times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    const sockets = FakeSocket.all.length;
    await act(async () => FakeSocket.last.close());
    await pass();
    if (count < times - 1) while (FakeSocket.all.length === sockets) await pass(50);
  }
  await vi.dynamicImportSettled();
  await pass();
}

async function say(server: FakeServer, ...frames: ServerFrame[]): Promise<void> {
  await act(async () => server.say(...frames));
  await pass();
}

async function openOnStream(server: FakeServer): Promise<OpenedPage> {
  const page = await openBlocked();
  server.write("event: key\ndata: key\n\n");
  await say(server, mounted);
  return page;
}

const streams = (server: FakeServer) => server.requests.filter((each) => each === "POST /stream").length;

describe("a page whose WebSockets are refused", () => {
  it("sends one small request, and uses an event stream after the second refusal", async () => {
    const server = FakeServer.start();
    await openPage(press, { isMounted: false });
    await refuse(1);
    expect(server.requests).toEqual(["GET /connection"]);
    await pass(500);
    await refuse(1);
    expect(server.requests).toEqual(["GET /connection", "GET /connection", "POST /stream"]);
    expect(server.sent).toEqual([{ type: "hello", path: "/", account: null, hash: "h", complete: true, build: "b" }]);
  });

  it("uses it after a single handshake without a response", async () => {
    const server = FakeServer.start();
    await openPage(press, { isMounted: false });
    await pass(10_500);
    await vi.dynamicImportSettled();
    await pass();
    expect(streams(server)).toBe(1);
  });

  it("works over it", async () => {
    const server = FakeServer.start();
    const page = await openOnStream(server);
    expect(page.isReady()).toBe(true);
    fireEvent.click(screen.getByRole("button"));
    await pass();
    expect(server.sent.at(-1)).toMatchObject({ type: "event", seq: 1, target: "press" });
    server.write(": still here\n\n");
    await say(server, { type: "patch", ops: [["set", [0], "Pressed"]] }, { type: "done", seq: 1 });
    expect(screen.getByRole("button").textContent).toBe("Pressed");
    expect(page.isReady()).toBe(true);
  });

  it("sends one request at a time; the next one contains all waiting frames", async () => {
    const server = FakeServer.start();
    await openOnStream(server);
    server.isHolding = true;
    for (let count = 0; count < 3; count += 1) fireEvent.click(screen.getByRole("button"));
    await pass();
    expect(server.sent).toHaveLength(2);
    server.release();
    await pass();
    expect(server.sent.flatMap((frame) => (frame.type === "event" ? [frame.seq] : []))).toEqual([1, 2, 3]);
    expect(server.requests.filter((each) => each === "POST /stream/frames")).toHaveLength(2);
  });

  it("reads a frame that arrives in pieces", async () => {
    const server = FakeServer.start();
    await openOnStream(server);
    const frame = `data: ${JSON.stringify({ type: "patch", ops: [["set", [0], "Größe"]] })}\n\n`;
    for (const piece of [frame.slice(0, 30), frame.slice(30, -1), frame.slice(-1)]) {
      server.write(piece);
      await pass();
    }
    expect(screen.getByRole("button").textContent).toBe("Größe");
  });

  it("continues its session after the stream breaks, and resends what the server has not received", async () => {
    const server = FakeServer.start();
    await openOnStream(server);
    await say(server, { type: "title", title: "One" });
    fireEvent.click(screen.getByRole("button"));
    await pass();
    server.cut();
    await pass(2_000);
    expect(server.sent).toMatchObject([{ type: "hello", session: "s", received: 1 }]);
    server.write("event: key\ndata: key\n\n");
    await say(server, { type: "resumed", seq: 0 });
    expect(server.sent.at(-1)).toMatchObject({ type: "event", seq: 1 });
  });

  it("opens a new stream when a request reaches a server that does not know the old one", async () => {
    const server = FakeServer.start();
    await openBlocked();
    server.write("event: key\ndata: of another\n\n");
    await say(server, mounted);
    fireEvent.click(screen.getByRole("button"));
    await pass(2_000);
    expect(streams(server)).toBe(2);
  });

  it("receives the reason why its session ended", async () => {
    const server = FakeServer.start();
    const reload = vi.fn();
    vi.stubGlobal("location", { pathname: "/", search: "", origin: "http://localhost:3000", host: "localhost:3000", reload });
    await openOnStream(server);
    server.write("event: close\ndata: 4401\n\n");
    await pass();
    expect(reload).toHaveBeenCalledOnce();
  });

  it("tells the server when the person leaves it", async () => {
    const server = FakeServer.start();
    await openOnStream(server);
    dispatchEvent(new Event("pagehide"));
    await pass();
    expect(server.requests.at(-1)).toBe("POST /stream/close");
  });

  it("shows why the server refuses the stream, too", async () => {
    const server = FakeServer.start();
    server.refusal = "This address is not allowed.";
    await openBlocked();
    expect(screen.getByText("This address is not allowed.")).toBeTruthy();
  });
});

describe("a tab whose WebSockets were refused", () => {
  it("uses a stream immediately on its next page, and tries WebSockets again some minutes later", async () => {
    const server = FakeServer.start();
    await openOnStream(server);
    closePages();
    const sockets = FakeSocket.all.length;
    const next = async () => {
      await openPage(press, { isMounted: false });
      await vi.dynamicImportSettled();
      await pass();
    };
    await next();
    expect([streams(server), FakeSocket.all.length]).toEqual([2, sockets]);
    closePages();
    await pass(11 * 60_000);
    await next();
    expect([streams(server), FakeSocket.all.length]).toEqual([2, sockets + 1]);
  });

  it("tries WebSockets again when streams fail, too", async () => {
    const server = FakeServer.start();
    await openBlocked();
    const sockets = FakeSocket.all.length;
    server.cut();
    await pass(2_000);
    expect(FakeSocket.all).toHaveLength(sockets + 1);
  });
});

describe("a server that is down", () => {
  it("gets only small requests, less and less often, and WebSockets once it responds again", async () => {
    const server = FakeServer.start({ isDown: true });
    await openPage(press, { isMounted: false });
    let last = FakeSocket.last;
    for (let waited = 0; waited < 60 * 60_000; waited += 1_000) {
      last = FakeSocket.last;
      await act(async () => last.close());
      await pass(1_000);
    }
    expect(new Set(server.requests)).toEqual(new Set(["GET /connection"]));
    expect(server.requests.length).toBeLessThan(55);
    expect(server.requests.length).toBeGreaterThan(30);
  });
});

describe("the message about a connection that stays lost", () => {
  const EXPLANATION = /Ask your administrator to allow WebSocket upgrades at localhost:3000\/socket or unbuffered responses from localhost:3000\/stream/;

  /** Waits while no connection succeeds. */
  async function wait(duration: number): Promise<void> {
    for (let waited = 0; waited < duration; waited += 250) {
      if (FakeSocket.last.sent.length === 0) await act(async () => FakeSocket.last.close());
      await pass(250);
    }
  }

  it("names the likely cause after 20 s", async () => {
    const server = FakeServer.start();
    server.breaksStreams = true;
    await openPage(press, { isMounted: false });
    await wait(19_000);
    expect(screen.getByText("Reconnecting…")).toBeTruthy();
    await wait(2_000);
    expect(screen.getByText(EXPLANATION)).toBeTruthy();
  });

  it("does not blame a proxy for a server that is down, and lets the person retry immediately", async () => {
    FakeServer.start({ isDown: true });
    await openPage(press, { isMounted: false });
    await wait(21_000);
    expect(screen.getByText(/server cannot be reached/)).toBeTruthy();
    const sockets = FakeSocket.all.length;
    await act(async () => fireEvent.click(screen.getByRole("button", { name: "Try again" })));
    expect(FakeSocket.all).toHaveLength(sockets + 1);
  });
});
