import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { followAnswers } from "./answers";

describe("answers below the form of their question", () => {
  let root: HTMLElement;
  let stop: () => void;
  let scrolled: unknown[];
  let top: number;

  beforeEach(() => {
    root = document.createElement("section");
    root.innerHTML = `<form><input name="question"></form><div data-answers="">Looking for answers</div>`;
    document.body.append(root);
    scrolled = [];
    top = innerHeight + 100;
    vi.spyOn(Element.prototype, "scrollIntoView").mockImplementation((options) => scrolled.push(options));
    vi.spyOn(Element.prototype, "getBoundingClientRect").mockImplementation(() => new DOMRect(0, top, 100, 1_000));
    stop = followAnswers();
  });

  afterEach(() => {
    stop();
    root.remove();
    vi.restoreAllMocks();
  });

  const ask = (): void => {
    root.querySelector("form")?.dispatchEvent(new SubmitEvent("submit", { bubbles: true, cancelable: true }));
  };
  const answer = async (question = "Who?"): Promise<void> => {
    root.querySelector("[data-answers]")?.setAttribute("data-answers", question);
    await Promise.resolve();
  };

  it("are scrolled into view once, and the focus stays", async () => {
    const input = root.querySelector("input");
    input?.focus();
    ask();
    await answer("");
    expect(scrolled).toEqual([]);
    await answer();
    await answer("Changed elsewhere");
    expect(scrolled).toEqual([{ block: "start", behavior: "smooth" }]);
    expect(document.activeElement).toBe(input);
  });

  it("are not scrolled smoothly for whoever wants less motion", async () => {
    vi.spyOn(window, "matchMedia").mockReturnValue({ matches: true } as MediaQueryList);
    ask();
    await answer();
    expect(scrolled).toEqual([{ block: "start", behavior: "auto" }]);
  });

  it("stay where they are if they are in sight, nobody asked, or the person went on", async () => {
    await answer("In the address");
    top = 200;
    ask();
    await answer("Who?");
    top = innerHeight + 100;
    ask();
    dispatchEvent(new Event("wheel"));
    await answer("What?");
    expect(scrolled).toEqual([]);
  });
});
