import { cleanup, configure } from "@testing-library/react";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { FakeSocket } from "./FakeSocket";
import { closePages } from "./openPage";

// jsdom has no layout and no media queries.
Object.assign(globalThis, {
  matchMedia: (query: string) => ({
    media: query,
    matches: false,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }),
  scrollTo: () => undefined,
  ResizeObserver: class {
    observe = (): void => undefined;
    unobserve = (): void => undefined;
    disconnect = (): void => undefined;
  },
  WebSocket: FakeSocket,
});

// A chunk must be transformed first, and the machine may be busy.
configure({ asyncUtilTimeout: 15_000 });

let consoleErrors: unknown[][] = [];

beforeEach(() => {
  consoleErrors = [];
  FakeSocket.all.length = 0;
  vi.spyOn(console, "error").mockImplementation((...logged: unknown[]) => consoleErrors.push(logged));
  vi.spyOn(console, "warn").mockImplementation((...logged: unknown[]) => consoleErrors.push(logged));
});

afterEach(() => {
  closePages();
  cleanup();
  document.body.replaceChildren();
  localStorage.clear();
  sessionStorage.clear();
  vi.unstubAllGlobals();
  history.replaceState(null, "", "/");
  // React reports hydration mismatches, missing keys, and similar errors on the console.
  expect(consoleErrors).toEqual([]);
});

/** Returns and clears the console messages so far, for tests that expect them. */
export function takeConsoleErrors(): unknown[][] {
  const logged = consoleErrors;
  consoleErrors = [];
  return logged;
}
