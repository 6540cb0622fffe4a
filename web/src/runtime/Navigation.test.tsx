import { act, fireEvent, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { openPage } from "../test/openPage";
import type { TreeNode } from "./protocol";

function pageWith(heading: string): TreeNode {
  return {
    t: "main",
    c: [
      { t: "h1", c: [heading] },
      { t: "a", a: { href: "/app/dashboard/nih?page=2" }, c: ["Opportunities"] },
      { t: "a", a: { href: "/app/api/docs" }, c: ["API"] },
      { t: "a", a: { href: "/app/file.csv", download: true }, c: ["Export"] },
      { t: "a", a: { href: "#part" }, c: ["Part"] },
      { t: "a", a: { href: "https://example.org/" }, c: ["Elsewhere"] },
      { t: "a", a: { href: "/application" }, c: ["Beside"] },
    ],
  };
}

async function openAt(path: string) {
  history.replaceState(null, "", `/app${path}`);
  return openPage(pageWith("Train"), { page: { base: "/app", path } });
}

describe("links", () => {
  it("move without a reload, tell the server, and focus the new heading", async () => {
    const scroll = vi.spyOn(globalThis, "scrollTo").mockImplementation(() => undefined);
    const page = await openAt("/dashboard/train");
    expect(page.socket().url).toBe("ws://localhost:3000/app/socket");
    await act(async () => fireEvent.click(screen.getByText("Opportunities")));
    expect(location.pathname + location.search).toBe("/app/dashboard/nih?page=2");
    expect(page.sent().at(-1)).toMatchObject({ type: "location", seq: 1, path: "/dashboard/nih?page=2" });
    await page.receive(
      { type: "patch", ops: [["set", [0, 0], "Opportunities for you"]] },
      { type: "title", title: "Opportunities" },
      { type: "done", seq: 1 },
    );
    expect(document.activeElement?.textContent).toBe("Opportunities for you");
    expect(document.title).toBe("Opportunities");
    expect(scroll).toHaveBeenLastCalledWith(0, 0);
  });

  it("tell the server again when it had too much to do", async () => {
    vi.spyOn(globalThis, "scrollTo").mockImplementation(() => undefined);
    const page = await openAt("/dashboard/train");
    await act(async () => fireEvent.click(screen.getByText("Opportunities")));
    vi.useFakeTimers();
    await page.receive({ type: "done", seq: 1, refused: true });
    expect(page.isReady()).toBe(false);
    await act(() => vi.advanceTimersByTimeAsync(1_500));
    vi.useRealTimers();
    expect(page.sent().at(-1)).toMatchObject({ type: "location", seq: 2, path: "/dashboard/nih?page=2" });
    await page.receive({ type: "patch", ops: [["set", [0, 0], "Opportunities for you"]] }, { type: "done", seq: 2 });
    expect(document.activeElement?.textContent).toBe("Opportunities for you");
    expect(page.isReady()).toBe(true);
  });

  it("tell the server where the page has moved while it answered the first greeting", async () => {
    history.replaceState(null, "", "/app/dashboard/train");
    const page = await openPage(pageWith("Train"), { page: { base: "/app", path: "/dashboard/train" }, isMounted: false });
    await act(async () => page.socket().open());
    expect(page.sent().at(-1)).toMatchObject({ type: "hello", path: "/dashboard/train" });
    await act(async () => fireEvent.click(screen.getByText("Opportunities")));
    await page.receive({ type: "mount", tree: null, title: "Train", session: "s" });
    expect(page.sent().at(-1)).toMatchObject({ type: "location", seq: 1, path: "/dashboard/nih?page=2" });
    expect(page.isReady()).toBe(false);
    await page.receive({ type: "patch", ops: [["set", [0, 0], "Opportunities"]] }, { type: "done", seq: 1 });
    expect(page.isReady()).toBe(true);
  });

  it.each(["API", "Export", "Part", "Elsewhere", "Beside"])("leave %s to the browser", async (name) => {
    const page = await openAt("/dashboard/train");
    const wasTaken = new Promise<boolean>((resolve) => {
      const last = (event: Event): void => {
        resolve(event.defaultPrevented);
        event.preventDefault(); // jsdom cannot load another page
      };
      addEventListener("click", last, { once: true });
    });
    fireEvent.click(screen.getByText(name));
    expect(await wasTaken).toBe(false);
    expect(page.sent().filter(({ type }) => type === "location")).toEqual([]);
  });

  it("with a modifier key are the browser's", async () => {
    const page = await openAt("/dashboard/train");
    addEventListener("click", (event) => event.preventDefault(), { once: true });
    fireEvent.click(screen.getByText("Opportunities"), { ctrlKey: true });
    expect(page.sent()).toHaveLength(1);
  });
});

describe("the server", () => {
  it("moves the page, and going back tells it so", async () => {
    const page = await openAt("/dashboard/train");
    await page.receive({ type: "navigate", path: "/dashboard/train?q=x", replace: false });
    expect(page.sent().at(-1)).toMatchObject({ type: "location", path: "/dashboard/train?q=x" });
    await page.receive({ type: "done", seq: 1 });
    await act(async () => {
      history.back();
      await vi.waitFor(() => expect(location.search).toBe(""));
    });
    await vi.waitFor(() => expect(page.sent().at(-1)).toMatchObject({ type: "location", path: "/dashboard/train" }));
  });

  it("keeps focus and scroll when only the query changes", async () => {
    const page = await openAt("/dashboard/train");
    screen.getByText("API").focus();
    await page.receive({ type: "navigate", path: "/dashboard/train?q=x" }, { type: "done", seq: 1 });
    expect(document.activeElement?.textContent).toBe("API");
  });
});
