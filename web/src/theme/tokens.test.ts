import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

type Tokens = Readonly<Record<string, string>>;

const COLORS = ["default", "purple", "cyan", "blue", "orange", "red"];
const ROLES = ["primary", "secondary", "info", "success", "warning", "error", "purple"];
const css = readFileSync("web/src/theme/tokens.css", "utf8");
const base = readFileSync("web/src/theme/base.css", "utf8");

/** The custom properties that hold for a mode and a color, later blocks over earlier ones as in the browser. */
function tokensOf(mode: string, color: string): Tokens {
  const blocks = css.matchAll(/:root((?:\[[^\]]+\])*) \{([^}]*)\}/g);
  const tokens: Record<string, string> = {};
  for (const [, selector = "", body = ""] of blocks) {
    const wanted = [...selector.matchAll(/\[data-(\w+)(?:="(\w+)")?\]/g)];
    if (!wanted.every(([, name, value]) => (name === "mode" ? mode : name === "color" ? color : null) === value)) continue;
    for (const [, name = "", value = ""] of body.matchAll(/--fw-([\w-]+): ([^;]+);/g)) tokens[name] = value;
  }
  return tokens;
}

function resolve(tokens: Tokens, name: string): string {
  const value = tokens[name] ?? "";
  const reference = /^var\(--fw-([\w-]+)\)$/.exec(value)?.[1];
  return reference === undefined ? value : resolve(tokens, reference);
}

type Rgb = readonly [number, number, number];

function parse(hex: string): Rgb {
  const number = Number.parseInt(hex.slice(1), 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}

function mix([r, g, b]: Rgb, [x, y, z]: Rgb, share: number): Rgb {
  const each = (top: number, under: number): number => top * share + under * (1 - share);
  return [each(r, x), each(g, y), each(b, z)];
}

/** Relative luminance and contrast as WCAG 2.2 defines them. */
function luminance(color: Rgb): number {
  const [r, g, b] = color.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: Rgb, other: Rgb): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

describe.each(["light", "dark"])("%s mode", (mode) => {
  describe.each(COLORS)("in %s", (color) => {
    const tokens = tokensOf(mode, color);
    const get = (name: string): Rgb => parse(resolve(tokens, name));
    const tint = Number.parseInt(tokens["tint"] ?? "", 10) / 100;

    it.each(["background", "paper", "neutral"])("text on %s has enough contrast", (surface) => {
      expect(contrast(get("text"), get(surface))).toBeGreaterThanOrEqual(4.5);
      expect(contrast(get("text-muted"), get(surface))).toBeGreaterThanOrEqual(4.5);
    });

    it.each(ROLES)("%s has enough contrast as text, filled, and on a tint", (role) => {
      const filled = get(role);
      expect(contrast(filled, get("paper"))).toBeGreaterThanOrEqual(4.5);
      expect(contrast(filled, get("background"))).toBeGreaterThanOrEqual(4.5);
      expect(contrast(get(`${role}-contrast`), filled)).toBeGreaterThanOrEqual(4.5);
      for (const surface of ["paper", "background"]) {
        expect(contrast(get(`${role}-strong`), mix(filled, get(surface), tint))).toBeGreaterThanOrEqual(4.5);
        expect(contrast(get(`${role}-strong`), mix(filled, get(surface), 0.24))).toBeGreaterThanOrEqual(4.5);
      }
    });

    it("marked text has enough contrast, also where text is muted", () => {
      const own = /\nmark \{[^}]*\bcolor: var\(--fw-([\w-]+)\)/.exec(base)?.[1];
      expect(contrast(get(own ?? "text-muted"), get("highlight"))).toBeGreaterThanOrEqual(4.5);
    });

    it("the borders of fields have enough contrast", () => {
      expect(contrast(get("outline"), get("paper"))).toBeGreaterThanOrEqual(3);
    });
  });
});
