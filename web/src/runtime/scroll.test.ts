import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type * as Scroll from "./scroll";

const scrolled = vi.fn();
let leave: () => void = () => undefined;

beforeEach(() => {
  sessionStorage.clear();
  vi.stubGlobal("scrollTo", scrolled);
  vi.spyOn(globalThis, "addEventListener").mockImplementation((name, listener) => {
    if (name === "pagehide") leave = listener as () => void;
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const entry = (): Scroll.Entry => ({ key: (history.state as { key?: string } | null)?.key ?? "default", ...pick(location) });
const pick = ({ pathname, search }: Location) => ({ pathname, search });

/** Loads a document at the current history entry. Returns its scroll position. */
async function load(): Promise<unknown> {
  vi.resetModules();
  const scroll = await import("./scroll");
  scroll.nameEntry();
  scroll.keepScrollOnReload(entry);
  scroll.restoreScroll(entry());
  return scrolled.mock.lastCall;
}

function unload(scrolledTo: number): void {
  vi.stubGlobal("scrollY", scrolledTo);
  leave();
}

describe("the scroll position", () => {
  it("is restored when the page is loaded again", async () => {
    history.pushState(null, "", "/dashboard/sam?page=2");
    await load();
    unload(848);
    expect(await load()).toEqual([0, 848]);
  });

  it("is known only if the page was shown before", async () => {
    history.pushState(null, "", "/dashboard/sam?page=3");
    await load();
    expect((await import("./scroll")).hasScrolled(entry())).toBe(false);
    unload(848);
    await load();
    expect((await import("./scroll")).hasScrolled(entry())).toBe(true);
  });

  it("is not that of the previous page", async () => {
    history.pushState(null, "", "/dashboard/sam");
    await load();
    unload(848);
    history.pushState(null, "", "/dashboard/train");
    expect(await load()).toEqual([0, 0]);
  });

  it("is not that of another visit to the same address", async () => {
    history.pushState(null, "", "/dashboard/sam");
    await load();
    unload(848);
    history.pushState(null, "", "/dashboard/sam");
    expect(await load()).toEqual([0, 0]);
  });

  it("is not that of the page that it replaces in the history", async () => {
    history.pushState(null, "", "/dashboard/sam");
    await load();
    unload(848);
    history.replaceState(history.state, "", "/dashboard/train");
    expect(await load()).toEqual([0, 0]);
  });

  it("is restored when the person returns from another document", async () => {
    history.pushState(null, "", "/dashboard/sam");
    await load();
    const state: unknown = history.state;
    unload(848);
    history.pushState(null, "", "/blog");
    await load();
    unload(20);
    history.pushState(state, "", "/dashboard/sam");
    expect(await load()).toEqual([0, 848]);
  });
});
