import { afterAll, describe, expect, it, vi } from "vitest";
import { inMemory } from "../runtime/draftKeys";
import { changeSettings, DEFAULT_SETTINGS, settings } from "../runtime/settings";

const late = vi.fn();
const left = localStorage.length;

// setup2.test.ts does the same: whichever comes second in a process would find it.
afterAll(() => localStorage.setItem("left by setup", "1"));

it("a file starts without what another one left at its end", () => {
  expect(left).toBe(0);
});

describe("each test starts as if it were the only one", { shuffle: false }, () => {
  it("whatever one leaves behind", () => {
    localStorage.setItem("draft:ada:/new#Post", "[]");
    sessionStorage.setItem("tab", "1");
    document.cookie = "time_zone=Asia/Tokyo; path=/";
    inMemory.set("draft:ada:/new#Post", "[]");
    changeSettings({ themeMode: "dark" });
    document.documentElement.dataset["mode"] = "dark";
    document.title = "Left";
    document.body.append("Left");
    addEventListener("pagehide", late);
    setTimeout(late, 1);
    vi.stubGlobal("fetch", late);
    vi.useFakeTimers({ now: 0 });
  });

  it("the next one finds nothing of it", async () => {
    expect([localStorage.length, sessionStorage.length, document.cookie, inMemory.size]).toEqual([0, 0, "", 0]);
    expect(settings.get()).toEqual(DEFAULT_SETTINGS);
    expect([document.documentElement.attributes.length, document.title, document.body.childNodes.length]).toEqual([0, "", 0]);
    expect(vi.isFakeTimers()).toBe(false);
    expect(Date.now()).toBeGreaterThan(0);
    expect(fetch).not.toBe(late);
    dispatchEvent(new Event("pagehide"));
    await new Promise((done) => setTimeout(done, 5));
    expect(late).not.toHaveBeenCalled();
  });
});
