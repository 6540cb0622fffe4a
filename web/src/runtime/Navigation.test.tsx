import { act, fireEvent, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { openPage } from "../test/openPage";
import type { ServerFrame, TreeNode } from "./protocol";

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
  it("navigate without a reload, report it to the server, and focus the new heading", async () => {
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

  it("focus the first field of a form that the new screen was opened for", async () => {
    vi.spyOn(globalThis, "scrollTo").mockImplementation(() => undefined);
    const page = await openAt("/dashboard/train");
    await act(async () => fireEvent.click(screen.getByText("Opportunities")));
    const panel: TreeNode = { t: "aside", a: { "data-panel": "true" }, c: [{ t: "form", c: [{ t: "input", a: { name: "first" } }] }] };
    await page.patch(["set", [1], panel]);
    await page.receive({ type: "done", seq: 1 });
    expect((document.activeElement as HTMLInputElement).name).toBe("first");
  });

  it("add one entry to the history when they are clicked twice", async () => {
    vi.spyOn(globalThis, "scrollTo").mockImplementation(() => undefined);
    await openAt("/dashboard/train");
    const before = history.length;
    await act(async () => fireEvent.click(screen.getByText("Opportunities")));
    await act(async () => fireEvent.click(screen.getByText("Opportunities")));
    expect(history.length).toBe(before + 1);
  });

  it("render nothing until the server sends the new screen", async () => {
    vi.spyOn(globalThis, "scrollTo").mockImplementation(() => undefined);
    const page = await openAt("/dashboard/train");
    const before = page.renderings();
    await act(async () => fireEvent.click(screen.getByText("Opportunities")));
    await page.receive({ type: "navigate", path: "/dashboard/nih?page=3", replace: true, after: 1 });
    expect(location.search).toBe("?page=3");
    expect(page.renderings()).toBe(before);
    await page.patch(["set", [0, 0], "Opportunities for you"]);
    expect(page.renderings()).toBe(before + 1);
  });

  it("announce the new title, and not the old one again", async () => {
    vi.spyOn(globalThis, "scrollTo").mockImplementation(() => undefined);
    const page = await openAt("/dashboard/train");
    const announced = (): string | null => document.querySelector("[aria-live=polite]")?.textContent ?? null;
    await act(async () => fireEvent.click(screen.getByText("Opportunities")));
    expect(announced()).toBe("");
    await page.receive({ type: "title", title: "Opportunities" }, { type: "done", seq: 1 });
    expect(announced()).toBe("Opportunities");
  });

  it("go to their fragment on another page as soon as it exists", async () => {
    vi.spyOn(globalThis, "scrollTo").mockImplementation(() => undefined);
    const scrolled: (string | null)[] = [];
    vi.spyOn(Element.prototype, "scrollIntoView").mockImplementation(function (this: Element) {
      scrolled.push(this.id);
    });
    const page = await openAt("/dashboard/train");
    const link: TreeNode = { t: "a", a: { href: "/app/dashboard/nih#part" }, c: ["A part"] };
    await page.patch(["set", [1], link]);
    await act(async () => fireEvent.click(screen.getByText("A part")));
    expect(page.sent().at(-1)).toMatchObject({ type: "location", path: "/dashboard/nih" });
    await page.receive({ type: "done", seq: 1 });
    expect(document.activeElement?.localName).toBe("h1");
    await page.patch(["set", [2], { t: "section", a: { id: "part" }, c: ["Here"] }]);
    expect(document.activeElement?.id).toBe("part");
    expect(scrolled).toEqual(["part"]);
    expect(location.hash).toBe("#part");
  });

  it("report the navigation again when the server was too busy", async () => {
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

  it("report to the server where the page has navigated before the response to hello", async () => {
    history.replaceState(null, "", "/app/dashboard/train");
    const page = await openPage(pageWith("Train"), { page: { base: "/app", path: "/dashboard/train" }, isMounted: false });
    await act(async () => page.socket().open());
    expect(page.sent().at(-1)).toMatchObject({ type: "hello", path: "/dashboard/train" });
    await act(async () => fireEvent.click(screen.getByText("Opportunities")));
    await page.receive({ type: "mount", tree: null, title: "Train", session: "s", build: "b" });
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

  it("with a modifier key are left to the browser", async () => {
    const page = await openAt("/dashboard/train");
    addEventListener("click", (event) => event.preventDefault(), { once: true });
    fireEvent.click(screen.getByText("Opportunities"), { ctrlKey: true });
    expect(page.sent()).toHaveLength(1);
  });
});

describe("the server", () => {
  it("navigates the page, which does not report that move, but reports Back", async () => {
    const page = await openAt("/dashboard/train");
    await page.receive({ type: "navigate", path: "/dashboard/train?q=x", replace: false, after: 0 });
    await page.receive({ type: "navigate", path: "/dashboard/train?q=y", replace: true, after: 0 });
    expect(location.search).toBe("?q=y");
    expect(locations(page)).toEqual([]);
    expect(page.isReady()).toBe(true);
    await act(async () => {
      history.back();
      await vi.waitFor(() => expect(location.search).toBe(""));
    });
    await vi.waitFor(() => expect(locations(page)).toEqual(["/dashboard/train"]));
  });

  it("goes to another page of a list, and going back restores the query and the scroll position", async () => {
    const scroll = vi.spyOn(globalThis, "scrollTo").mockImplementation(() => undefined);
    const page = await openAt("/dashboard/sam");
    vi.stubGlobal("scrollY", 848);
    await page.receive({ type: "navigate", path: "/dashboard/sam?page=2", replace: false, after: 0 });
    scroll.mockClear();
    await act(async () => {
      history.back();
      await vi.waitFor(() => expect(location.search).toBe(""));
    });
    await vi.waitFor(() => expect(locations(page)).toEqual(["/dashboard/sam"]));
    expect(scroll).not.toHaveBeenCalled();
    await page.receive({ type: "done", seq: 1 });
    expect(scroll).toHaveBeenCalledExactlyOnceWith(0, 848);
    vi.unstubAllGlobals();
  });

  it("keeps focus and scroll when only the query changes", async () => {
    const page = await openAt("/dashboard/train");
    screen.getByText("API").focus();
    await page.receive({ type: "navigate", path: "/dashboard/train?q=x", after: 0 });
    expect(document.activeElement?.textContent).toBe("API");
  });

  it("navigates to another screen: the page scrolls to the top and focuses the heading once the screen has arrived", async () => {
    const scroll = vi.spyOn(globalThis, "scrollTo").mockImplementation(() => undefined);
    const page = await openAt("/dashboard/train");
    scroll.mockClear();
    await page.receive({ type: "navigate", path: "/dashboard/nih", after: 0 }, { type: "patch", ops: [["set", [0, 0], "Loading"]] });
    expect(page.isReady()).toBe(false);
    expect(scroll).not.toHaveBeenCalled();
    await page.receive({ type: "patch", ops: [["set", [0, 0], "Opportunities for you"]] }, { type: "arrived" });
    expect(scroll).toHaveBeenCalledExactlyOnceWith(0, 0);
    expect(document.activeElement?.textContent).toBe("Opportunities for you");
    expect(page.isReady()).toBe(true);
  });

  it("ignores the server's navigation when the person has navigated since", async () => {
    vi.spyOn(globalThis, "scrollTo").mockImplementation(() => undefined);
    const page = await openAt("/dashboard/train");
    await act(async () => fireEvent.click(screen.getByText("Opportunities")));
    await page.receive({ type: "navigate", path: "/dashboard/history", after: 0 });
    expect(location.pathname).toBe("/app/dashboard/nih");
    expect(locations(page)).toEqual(["/dashboard/nih?page=2"]);
    await page.receive({ type: "navigate", path: "/dashboard/train", replace: true, after: 1 }, { type: "done", seq: 1 }, { type: "arrived" });
    expect(location.pathname).toBe("/app/dashboard/train"); // the target of a redirect from there
  });

  it("has navigated while the connection was lost, and the person has, too", async () => {
    const page = await openAt("/dashboard/train");
    vi.useFakeTimers();
    await act(async () => page.socket().close());
    await act(async () => fireEvent.click(screen.getByText("Opportunities")));
    await act(() => vi.advanceTimersByTimeAsync(1_000));
    vi.useRealTimers();
    await act(async () => page.socket().open());
    await page.receive({ type: "resumed", seq: 0 }, { type: "navigate", path: "/dashboard/history", after: 0 });
    expect(locations(page)).toEqual(["/dashboard/nih?page=2"]);
    expect(location.pathname).toBe("/app/dashboard/nih");
  });

  it.each(Array.from({ length: 60 }, (_, seed) => seed))("and the page agree after any interleaving (seed %i)", async (seed) => {
    vi.spyOn(globalThis, "scrollTo").mockImplementation(() => undefined);
    const random = randomOf(seed);
    const page = await openAt("/dashboard/train");
    // A server as described in docs/runtime-protocol.md. Frames can be delayed in both directions.
    const server = { at: "/dashboard/train", after: 0, taken: 1, responses: [] as ServerFrame[] };
    const takeOne = (): void => {
      const frame = page.sent()[server.taken];
      if (frame?.type !== "location") return;
      server.taken += 1;
      server.at = frame.path;
      server.after = frame.seq;
      server.responses.push({ type: "done", seq: frame.seq });
    };
    const deliverOne = async (): Promise<void> => {
      const [frame] = server.responses.splice(0, 1);
      if (frame !== undefined) await page.receive(frame);
    };
    const acts: (() => Promise<void> | void)[] = [
      () => {
        server.at = `/dashboard/${random(3)}?step=${random(100)}`;
        server.responses.push({ type: "navigate", path: server.at, replace: random(2) === 0, after: server.after });
      },
      () => act(async () => page.runtime.go(`/dashboard/${random(3)}?chosen=${random(100)}`)),
      takeOne,
      deliverOne,
    ];
    for (let step = 0; step < 14; step++) await acts[random(acts.length)]?.();
    while (server.responses.length > 0 || server.taken < page.sent().length) {
      takeOne();
      await deliverOne();
    }
    expect(page.runtime.path).toBe(server.at);
  });
});

function locations(page: Awaited<ReturnType<typeof openAt>>): string[] {
  return page.sent().flatMap((frame) => (frame.type === "location" ? [frame.path] : []));
}

/** Random numbers below a bound, the same in each run. */
function randomOf(seed: number): (bound: number) => number {
  let state = seed + 1;
  return (bound) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % bound;
  };
}
