import { expect, it } from "vitest";
import { replayEarly } from "./early";

it("a popover that the browser has opened before hydration stays open", () => {
  let isOpen = true; // the browser has opened it on the first click
  const popover = Object.assign(document.createElement("div"), { hidePopover: () => (isOpen = false) });
  const button = document.body.appendChild(document.createElement("button"));
  Object.defineProperty(button, "popoverTargetElement", { value: popover });
  button.addEventListener("click", () => (isOpen = !isOpen));
  globalThis.early = [{ button }];
  replayEarly();
  expect(isOpen).toBe(true);
});
