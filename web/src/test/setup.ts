import "./missing";
import { cleanup, configure } from "@testing-library/react";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { setTimeZone } from "../runtime/dates";
import { inMemory } from "../runtime/draftKeys";
import { changeSettings, DEFAULT_SETTINGS, settingsAreOpen } from "../runtime/settings";
import { FakeSocket } from "./FakeSocket";
import { closePages } from "./openPage";
import { undoOutside } from "./undoOutside";

// A chunk must be transformed first, and the machine may be busy.
configure({ asyncUtilTimeout: 15_000 });

let consoleErrors: unknown[][] = [];

beforeEach(() => {
  consoleErrors = [];
  FakeSocket.all.length = 0;
  vi.spyOn(console, "error").mockImplementation((...logged: unknown[]) => consoleErrors.push(logged));
  vi.spyOn(console, "warn").mockImplementation((...logged: unknown[]) => consoleErrors.push(logged));
});

// All files share a window and the modules: each test starts with an empty storage, the real clock, and an empty document.
afterEach(() => {
  cleanUp();
  // React reports hydration mismatches, missing keys, and similar errors on the console.
  expect(consoleErrors).toEqual([]);
});
cleanUp(); // what the previous file left after its last test

function cleanUp(): void {
  closePages();
  cleanup();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  settingsAreOpen.set(false);
  changeSettings(DEFAULT_SETTINGS);
  setTimeZone(null);
  inMemory.clear();
  localStorage.clear();
  sessionStorage.clear();
  history.replaceState(null, "", "/");
  undoOutside(); // last, because a subscriber of the settings sets attributes of the document
}

/** Returns and clears the console messages so far, for tests that expect them. */
export function takeConsoleErrors(): unknown[][] {
  const logged = consoleErrors;
  consoleErrors = [];
  return logged;
}
