import { act, fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { FakeSocket } from "../test/FakeSocket";
import { openPage } from "../test/openPage";
import type { TreeNode } from "./protocol";
import { Runtime } from "./Runtime";

const FIELD: TreeNode = { t: "input", a: { "aria-label": "Name", name: "name", value: "" }, e: { onChange: { h: "typed" } } };

afterEach(() => {
  vi.useRealTimers();
});

it("a page is not ready before it is hydrated, however early the server responds", () => {
  const runtime = new Runtime({
    ...{ tree: "", hash: "h", complete: true, title: "", path: "/", base: "", nonce: "n", account: null, timeZone: null, notice: null, language: "en", strings: {}, modules: {}, build: "b" },
  });
  runtime.start();
  FakeSocket.last.open();
  FakeSocket.last.receive({ type: "mount", tree: null, title: "", session: "s", build: "b" });
  expect(runtime.readiness.isReady).toBe(false);
  runtime.isHydrated.set(true);
  expect(runtime.readiness.isReady).toBe(true);
  runtime.stop();
});

it("typed text that the server refused is pending until it is sent again", async () => {
  const page = await openPage(FIELD);
  vi.useFakeTimers();
  fireEvent.change(screen.getByLabelText("Name"), { target: { value: "Ada" } });
  await page.receive({ type: "done", seq: 1, refused: true });
  expect(page.isReady()).toBe(false);
  await act(() => vi.advanceTimersByTimeAsync(1_000));
  await page.receive({ type: "done", seq: 2 });
  expect(page.isReady()).toBe(true);
});

it("a page is not ready while it shows that its content is loading, even if the event is done", async () => {
  const loading: TreeNode = { t: "div", a: { role: "status", "aria-label": "Looking for answers", "data-loading": "" } };
  const page = await openPage({ t: "main", c: [loading] });
  expect(page.isReady()).toBe(false);
  await page.patch(["set", [0], "42"]);
  expect(page.isReady()).toBe(true);
  await page.patch(["set", [0], loading]);
  await page.receive({ type: "done", seq: 1 });
  expect(page.isReady()).toBe(false);
  await page.patch(["set", [0], { t: "p", c: ["43"] }]);
  expect(page.isReady()).toBe(true);
});

it("a page that is being unloaded is not ready again", async () => {
  const page = await openPage("here");
  await page.receive({ type: "navigate", path: "#there", reload: true });
  expect(page.isReady()).toBe(false);
});
