import { afterAll, expect, it } from "vitest";

const left = localStorage.length;

afterAll(() => localStorage.setItem("left by setup2", "1"));

it("a file starts without what setup.test.ts left at its end", () => {
  expect(left).toBe(0);
});
