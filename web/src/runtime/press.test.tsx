import { act, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openPage } from "../test/openPage";
import type { TreeNode } from "./protocol";

const tree: TreeNode = { t: "main", c: [{ t: "button", c: ["Save"] }, { t: "p", c: ["before"] }] };

const after = async (ms: number): Promise<void> => {
  await act(() => vi.advanceTimersByTimeAsync(ms));
};

describe("while the mouse button is down", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("the page does not change; the changes are applied in order after the click", async () => {
    const page = await openPage(tree);
    const button = screen.getByRole("button");
    fireEvent.pointerDown(button, { button: 0 });
    await page.patch(["set", [1, 0], "one"]);
    await page.patch(["set", [1, 0], "two"]);
    await after(500);
    expect(screen.getByText("before")).toBeTruthy();
    fireEvent.pointerUp(button, { button: 0 });
    expect(screen.getByText("before")).toBeTruthy();
    await after(0);
    expect(screen.getByText("two")).toBeTruthy();
    await page.patch(["set", [1, 0], "three"]);
    expect(screen.getByText("three")).toBeTruthy();
  });

  it("a long press delays changes for one second at most", async () => {
    const page = await openPage(tree);
    fireEvent.pointerDown(screen.getByRole("button"), { button: 0 });
    await page.patch(["set", [1, 0], "after"]);
    await after(1_000);
    expect(screen.getByText("after")).toBeTruthy();
  });

  it("another mouse button delays nothing", async () => {
    const page = await openPage(tree);
    fireEvent.pointerDown(screen.getByRole("button"), { button: 2 });
    await page.patch(["set", [1, 0], "after"]);
    expect(screen.getByText("after")).toBeTruthy();
  });

  it("the page requests changes again that a lost connection had delivered", async () => {
    const page = await openPage(tree);
    fireEvent.pointerDown(screen.getByRole("button"), { button: 0 });
    await page.patch(["set", [1, 0], "one"]);
    dispatchEvent(new Event("offline"));
    await after(2_000);
    await act(async () => page.socket().open());
    expect(screen.getByText("before")).toBeTruthy();
    expect(page.sent()).toMatchObject([{ type: "hello", session: "s", received: 0 }]);
  });
});
