import { fireEvent } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Unsubscribe } from "./signal";
import { followTabKeys } from "./tabKeys";

const clicked = vi.fn<(name: string | null) => void>();
let stop: Unsubscribe = () => undefined;

beforeEach(() => {
  clicked.mockReset();
  document.body.innerHTML = `<div role="tablist">${["a", "b", "c"].map((name) => `<button role="tab">${name}</button>`).join("")}</div>`;
  document.body.addEventListener("click", (event) => clicked((event.target as HTMLElement).textContent), { once: true });
  stop = followTabKeys();
});

afterEach(() => {
  stop();
  document.documentElement.removeAttribute("dir");
});

const tab = (name: string) => Array.from(document.querySelectorAll<HTMLElement>("[role=tab]")).find((each) => each.textContent === name);

describe("the keys of a row of tabs", () => {
  it.each([
    ["b", "ArrowRight", "c"],
    ["c", "ArrowRight", "a"],
    ["a", "ArrowLeft", "c"],
    ["b", "Home", "a"],
    ["a", "End", "c"],
  ])("move from %s with %s to %s", (from, key, to) => {
    tab(from)?.focus();
    fireEvent.keyDown(tab(from) as HTMLElement, { key });
    expect(document.activeElement).toBe(tab(to));
    expect(clicked).toHaveBeenCalledWith(to);
  });

  it("follow the direction of writing", () => {
    document.documentElement.dir = "rtl";
    fireEvent.keyDown(tab("a") as HTMLElement, { key: "ArrowLeft" });
    expect(document.activeElement).toBe(tab("b"));
  });

  it("leave other keys alone", () => {
    expect(fireEvent.keyDown(tab("a") as HTMLElement, { key: "x" })).toBe(true);
    expect(clicked).not.toHaveBeenCalled();
  });
});
