import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const COMPOSED = /-$/; // such as `f"fw-chip-{color}"`, whose endings are listed where the class name is built

function classesIn(folder: string, ending: RegExp, written = /(?<!-)\bfw-[a-z-]+/g): Map<string, string> {
  const found = new Map<string, string>();
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!ending.test(path)) continue;
    for (const [name] of readFileSync(join(folder, path), "utf8").matchAll(written)) found.set(name, path);
  }
  return found;
}

const styled = classesIn("web/src", /\.css$/, /(?<=\.)fw-[a-z-]+/g);
const used = new Map([...classesIn("components", /\.py$/), ...classesIn("web/src", /\.tsx?$/)]);

describe("every class that Python or a widget uses", () => {
  it.each([...used].filter(([name]) => !COMPOSED.test(name)))("has a style: %s (%s)", (name) => {
    expect(styled.has(name)).toBe(true);
  });
});

describe("every class that has a style", () => {
  const beginnings = [...used.keys()].filter((name) => COMPOSED.test(name));

  it.each([...styled])("is used, because each page loads it: %s (%s)", (name) => {
    expect(used.has(name) || beginnings.some((beginning) => name.startsWith(beginning))).toBe(true);
  });
});
