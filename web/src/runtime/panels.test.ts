import { fireEvent } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { keepFocus } from "./focus";
import { followPanels } from "./panels";
import type { Unsubscribe } from "./signal";

let stops: Unsubscribe[] = [];
let root: HTMLElement = document.body;

beforeEach(() => {
  document.body.innerHTML = `<div id="root"><main><h1 tabindex="-1">Draft</h1><button>Citation</button><input aria-label="Text"></main></div>`;
  root = find("#root");
  stops = [keepFocus(root), followPanels(root)];
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  for (const stop of stops) stop();
});

const find = (selector: string): HTMLElement => document.querySelector(selector) as HTMLElement;

function open(): void {
  find("main").insertAdjacentHTML("beforeend", `<aside data-panel tabindex="-1"><button name="close">Close</button></aside>`);
  find("[name=close]").addEventListener("click", () => find("aside").remove());
}

const focusSoon = (selector: string): Promise<void> => vi.waitFor(() => expect(document.activeElement).toBe(find(selector)));

describe("a filter", () => {
  const show = (isFine: boolean): HTMLElement => {
    vi.stubGlobal("matchMedia", () => ({ matches: isFine }));
    // jsdom has no popovers.
    vi.spyOn(root, "querySelector").mockImplementation((selector: string) => document.querySelector<HTMLElement>(selector.replace(":popover-open", "")));
    find("main > button").focus();
    find("main").insertAdjacentHTML("beforeend", `<div popover><input type="search" aria-label="Search agencies"></div>`);
    return find("[type=search]");
  };

  it("focuses its search field when it opens", async () => {
    show(true);
    await focusSoon("[type=search]");
  });

  it("does not open the keyboard of a touch screen", async () => {
    const field = show(false);
    await new Promise((resolve) => setTimeout(resolve));
    expect(document.activeElement).not.toBe(field);
  });
});

describe("a link in a filter", () => {
  it("is chosen with Space, unlike other links", () => {
    find("main").insertAdjacentHTML("beforeend", `<a id="other" href="#other">Other</a><div popover><a id="code" href="#code">541511</a></div>`);
    const clicked = vi.fn((event: Event) => event.preventDefault());
    find("main").addEventListener("click", clicked);
    Object.assign(find("[popover]"), { hidePopover: () => undefined });
    expect(fireEvent.keyDown(find("#other"), { key: " " })).toBe(true);
    expect(clicked).not.toHaveBeenCalled();
    expect(fireEvent.keyDown(find("#code"), { key: " " })).toBe(false);
    expect(clicked).toHaveBeenCalledOnce();
  });
});

describe("a side panel", () => {
  it("gets the focus when it opens, closes on Escape, and returns the focus", async () => {
    find("main > button").focus();
    open();
    await focusSoon("aside");
    fireEvent.keyDown(find("aside"), { key: "Escape" });
    expect(document.querySelector("aside")).toBeNull();
    await focusSoon("main > button");
  });

  it("does not take the focus from someone who is typing", async () => {
    find("input").focus();
    open();
    await Promise.resolve();
    await focusSoon("input");
  });

  it("stays open if Escape belongs to something else", async () => {
    open();
    await focusSoon("aside");
    find("main").insertAdjacentHTML("beforeend", `<div role="dialog"><button>Keep</button></div>`);
    fireEvent.keyDown(find("[role=dialog] button"), { key: "Escape" });
    expect(document.querySelector("aside")).not.toBeNull();
  });
});
