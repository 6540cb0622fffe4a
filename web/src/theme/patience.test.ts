import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const css = readFileSync("web/src/theme/buttons.css", "utf8");
const busy = Array.from(css.matchAll(/([^{}]*\[aria-busy="true"\][^{}]*)\{([^}]*)\}/g), ([, selector = "", body = ""]) => ({ selector: selector.trim(), body }));
const animated = busy.flatMap(({ selector, body }) => {
  const animations = /animation:([^;]*);/.exec(body)?.[1]?.split(",") ?? [];
  return animations.map((animation) => ({ selector, animation: animation.trim() }));
});

describe("what a busy button shows", () => {
  it("is known", () => {
    expect(animated.length).toBeGreaterThan(2);
  });

  // An invisible animation would make the browser draw a frame every 16 ms while the server works.
  it.each(animated)("begins after a while: $selector, $animation", ({ animation }) => {
    expect(animation).toContain("var(--fw-patience)");
  });
});
