import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { FakeSocket } from "../test/FakeSocket";
import { type OpenedPage, openPage } from "../test/openPage";
import type { ServerFrame, TreeNode } from "./protocol";

const press: TreeNode = { t: "button", e: { onClick: { h: "press" } }, c: ["Press"] };
const named: TreeNode = { t: "input", a: { "aria-label": "Name", name: "name" }, e: { onChange: { h: "typed" } } };

afterEach(() => vi.useRealTimers());

/** Breaks the socket without a close frame, and lets the page open another one. */
async function lose(page: OpenedPage): Promise<void> {
  vi.useFakeTimers();
  await act(async () => page.socket().close());
  await act(() => vi.advanceTimersByTimeAsync(1000));
  vi.useRealTimers();
  await act(async () => page.socket().open());
}

const clicks = (page: OpenedPage) => page.sent().flatMap((frame) => (frame.type === "event" ? [frame.seq] : []));

describe("a page that reconnects", () => {
  it("sends its session and the number of received frames", async () => {
    const page = await openPage(press);
    await page.receive({ type: "title", title: "One" }, { type: "patch", ops: [["set", [0], "Pressed"]] });
    await lose(page);
    expect(page.sent()).toMatchObject([{ type: "hello", session: "s", received: 2 }]);
  });

  it("counts only frames since the server accepted it: a refusal belongs to no session", async () => {
    const page = await openPage(press);
    await page.receive({ type: "title", title: "One" });
    await lose(page);
    await page.receive({ type: "refused", sentence: "Too many pages are open." });
    await lose(page);
    expect(page.sent()).toMatchObject([{ type: "hello", session: "s", received: 1 }]);
  });

  it("counts from the mount frame of its session, regardless of frames of an earlier one", async () => {
    const page = await openPage(press);
    await page.receive({ type: "title", title: "One" }, { type: "title", title: "Two" });
    await lose(page);
    await page.receive({ type: "mount", tree: press, title: "Start", session: "other", build: "b" }, { type: "title", title: "Three" });
    await lose(page);
    expect(page.sent()).toMatchObject([{ type: "hello", session: "other", received: 1 }]);
  });

  it("continues with the same elements", async () => {
    const page = await openPage(press);
    const before = screen.getByRole("button");
    before.focus();
    await lose(page);
    await page.receive({ type: "resumed", seq: 0 });
    expect(screen.getByRole("button")).toBe(before);
    expect(document.activeElement).toBe(before);
    expect(page.isReady()).toBe(true);
  });

  it("resends only what the server has not received, in order", async () => {
    const page = await openPage(press);
    for (let count = 0; count < 3; count += 1) fireEvent.click(screen.getByRole("button"));
    await lose(page);
    await page.receive({ type: "resumed", seq: 1 });
    expect(clicks(page)).toEqual([2, 3]);
    expect(page.isReady()).toBe(false);
    await page.receive({ type: "done", seq: 1 }, { type: "done", seq: 2 }, { type: "done", seq: 3 });
    expect(page.isReady()).toBe(true);
  });

  it("shows why the session is paused until it continues", async () => {
    const page = await openPage(press);
    await page.receive({ type: "paused", sentence: "The database is away." });
    expect(screen.queryByRole("button", { name: "Try again" })).toBeNull(); // a new session would not have the state of this one
    expect(screen.getAllByText("The database is away.")).toHaveLength(1);
    await lose(page);
    await page.receive({ type: "resumed", seq: 0 }, { type: "paused", sentence: "The database is away." });
    expect(screen.getAllByText("The database is away.")).toHaveLength(1);
    await page.receive({ type: "paused", sentence: null });
    expect(screen.queryByText("The database is away.")).toBeNull();
  });

  it("then sends queued clicks and typed text", async () => {
    const page = await openPage({ f: 1, c: [named, press] });
    const lost = page.socket();
    await act(async () => lost.close());
    fireEvent.click(screen.getByRole("button"));
    await userEvent.type(screen.getByLabelText("Name"), "ab");
    await waitFor(() => expect(page.socket()).not.toBe(lost));
    await act(async () => page.socket().open());
    await page.receive({ type: "resumed", seq: 0 });
    expect(page.sent().slice(1)).toMatchObject([
      { seq: 1, target: "typed", data: { value: "ab" } },
      { seq: 2, target: "press" },
    ]);
  });

  it("reports a click while it was away on what the new session does not show", async () => {
    const page = await openPage(press);
    const lost = page.socket();
    await act(async () => lost.close());
    fireEvent.click(screen.getByRole("button"));
    await waitFor(() => expect(page.socket()).not.toBe(lost));
    await act(async () => page.socket().open());
    await page.receive({ type: "mount", tree: named, title: "Start", session: "other", build: "b" });
    expect(clicks(page)).toEqual([]);
    expect(await screen.findByText(/connection was interrupted/)).toBeTruthy();
  });

  it("reports when the outcome of a click is unknown", async () => {
    const page = await openPage(press);
    fireEvent.click(screen.getByRole("button"));
    await lose(page);
    await page.receive({ type: "mount", tree: press, title: "Start", session: "other", build: "b" });
    expect(clicks(page)).toEqual([]);
    expect(await screen.findByText(/connection was interrupted/)).toBeTruthy();
    expect(page.isReady()).toBe(true);
  });

  it("does not repeat a navigation that the server has not received", async () => {
    const page = await openPage(press);
    await lose(page);
    await page.receive({ type: "resumed", seq: 0 });
    expect(page.sent()).toHaveLength(1);
  });
});

describe("a connection that fails immediately", () => {
  /** For a minute, every connection fails `after` ms after the server's response; returns the number of connections. */
  async function failForAMinute(page: OpenedPage, answer: ServerFrame, after = 0): Promise<number> {
    const before = FakeSocket.all.length;
    for (let waited = 0; waited < 60_000; waited += 50) {
      await act(() => vi.advanceTimersByTimeAsync(50));
      if (FakeSocket.last.sent.length > 0) continue;
      await act(async () => FakeSocket.last.open());
      await page.receive(answer);
      await act(() => vi.advanceTimersByTimeAsync(after));
      waited += after;
      await act(async () => FakeSocket.last.close(1011));
    }
    return FakeSocket.all.length - before;
  }

  it.each<ServerFrame>([
    { type: "mount", tree: press, title: "Start", session: "other", build: "b" },
    { type: "resumed", seq: 0 },
  ])("is tried again at growing distances after $type", async (answer) => {
    vi.useFakeTimers();
    const page = await openPage(press);
    await act(async () => page.socket().close());
    expect(await failForAMinute(page, answer)).toBeLessThan(15);
  });

  it("is retried with the same delays if it lasts for a second each time", async () => {
    vi.useFakeTimers();
    const page = await openPage(press);
    await act(async () => page.socket().close());
    expect(await failForAMinute(page, { type: "resumed", seq: 0 }, 1_000)).toBeLessThan(15);
  });

  it("is retried immediately if it has lasted for some seconds", async () => {
    vi.useFakeTimers();
    const page = await openPage(press);
    await act(async () => page.socket().close());
    await failForAMinute(page, { type: "resumed", seq: 0 });
    const failed = page.socket();
    while (page.socket() === failed) await act(() => vi.advanceTimersByTimeAsync(100));
    await act(async () => page.socket().open());
    await page.receive({ type: "resumed", seq: 0 });
    await act(() => vi.advanceTimersByTimeAsync(6_000));
    const lost = page.socket();
    await act(async () => lost.close());
    await act(() => vi.advanceTimersByTimeAsync(400));
    expect(page.socket()).not.toBe(lost);
  });
});

describe("silence", () => {
  it("triggers a ping, and ends the connection when there is no response", async () => {
    vi.useFakeTimers();
    const page = await openPage(press);
    const first = page.socket();
    await act(() => vi.advanceTimersByTimeAsync(21_000));
    expect(page.sent().at(-1)).toEqual({ type: "ping", received: 0 });
    await act(() => vi.advanceTimersByTimeAsync(11_000));
    expect(page.socket()).not.toBe(first);
  });

  it("does not end the connection while responses arrive", async () => {
    vi.useFakeTimers();
    const page = await openPage(press);
    const first = page.socket();
    for (let count = 0; count < 5; count += 1) {
      await act(() => vi.advanceTimersByTimeAsync(21_000));
      await page.receive({ type: "pong" });
    }
    expect(page.socket()).toBe(first);
  });

  it("of the page ends when many frames have arrived, so that the server need not keep them", async () => {
    const page = await openPage(press);
    await page.receive(...Array.from({ length: 50 }, () => ({ type: "title", title: "x" }) as const));
    expect(page.sent().at(-1)).toEqual({ type: "ping", received: 50 });
  });
});

describe("the browser", () => {
  const say = (event: "offline" | "online") => act(async () => void dispatchEvent(new Event(event)));

  it("that is offline shows it immediately, before the socket closes", async () => {
    vi.useFakeTimers();
    const page = await openPage(press);
    await say("offline");
    await act(() => vi.advanceTimersByTimeAsync(1_900));
    expect(screen.queryByText("Reconnecting…")).toBeNull();
    await act(() => vi.advanceTimersByTimeAsync(200));
    expect(screen.getByText("Reconnecting…")).toBeTruthy();
    expect(page.isReady()).toBe(false);
  });

  it("that is online again connects immediately", async () => {
    vi.useFakeTimers();
    const page = await openPage(press);
    await say("offline");
    await act(() => vi.advanceTimersByTimeAsync(400));
    const hanging = page.socket();
    await say("online");
    expect(page.socket()).not.toBe(hanging);
    await act(async () => page.socket().open());
    await page.receive({ type: "resumed", seq: 0 });
    expect(screen.queryByText("Reconnecting…")).toBeNull();
    const current = page.socket();
    await act(() => vi.advanceTimersByTimeAsync(15_000));
    expect(page.socket()).toBe(current);
    expect(page.sent()).toHaveLength(1);
  });
});
