import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const COMPOSED = /-$/; // `f"fw-chip-{color}"`: its endings are listed where the class is made

function classesIn(folder: string, ending: RegExp): Map<string, string> {
  const found = new Map<string, string>();
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!ending.test(path)) continue;
    for (const [name] of readFileSync(join(folder, path), "utf8").matchAll(/(?<!-)\bfw-[a-z-]+/g)) found.set(name, path);
  }
  return found;
}

describe("every class that Python or a widget uses", () => {
  const styled = classesIn("web/src/theme", /\.css$/);
  const used = new Map([...classesIn("components", /\.py$/), ...classesIn("web/src", /\.tsx$/)]);

  it.each([...used].filter(([name]) => !COMPOSED.test(name)))("has a style: %s (%s)", (name) => {
    expect(styled.has(name)).toBe(true);
  });
});
