import { act, fireEvent, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Runtime } from "../../runtime/Runtime";
import { Toasts } from "../../runtime/Toasts";
import { renderWidget } from "../../test/renderWidget";

/** Loads the toaster with a first message, and uses fake timers from then on. */
async function openToaster(): Promise<Runtime> {
  const runtime = await renderWidget(<Toasts />);
  act(() => runtime.toast("Warming up.", "info"));
  await screen.findByText("Warming up.");
  act(() => runtime.toasts.set([]));
  vi.useFakeTimers();
  return runtime;
}

function wait(ms: number): void {
  act(() => {
    vi.advanceTimersByTime(ms);
  });
}

describe("Toaster", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each(["success", "info", "warning", "error"] as const)("hides every kind of message after 3,000 ms: %s", async (variant) => {
    const runtime = await openToaster();
    act(() => runtime.toast("Saved.", variant));
    wait(2_999);
    expect(screen.getAllByText("Saved.")).toHaveLength(1);
    wait(1);
    expect(screen.queryByText("Saved.")).toBeNull();
    expect(runtime.toasts.get()).toEqual([]);
  });

  it("shows at most five, and the next one when there is space", async () => {
    const runtime = await openToaster();
    act(() => {
      for (const number of [1, 2, 3, 4, 5, 6]) runtime.toast(`Message ${number}`, number % 2 ? "info" : "warning");
    });
    expect(screen.getAllByRole("button", { name: "Close" })).toHaveLength(5);
    expect(screen.queryByText("Message 6")).toBeNull();
    wait(3_000);
    expect(screen.getByText("Message 6")).toBeTruthy();
  });

  it("moves below the controls that it would cover, unless they are everywhere", async () => {
    const place = (of: Element, top: number, bottom: number): void => {
      of.getBoundingClientRect = () => new DOMRect(0, top, 390, bottom - top);
    };
    vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(60);
    vi.spyOn(HTMLElement.prototype, "offsetWidth", "get").mockReturnValue(350);
    const button = document.body.appendChild(document.createElement("button"));
    place(button, 70, 94);
    const runtime = await openToaster();
    const say = (message: string): string => {
      act(() => runtime.toasts.set([]));
      act(() => runtime.toast(message, "success"));
      return screen.getByText(message).parentElement?.parentElement?.style.marginBlockStart ?? "";
    };
    expect(say("Beside nothing.")).toBe("");
    place(button, 10, 94);
    expect(say("Over a button.")).toBe("96px");
    place(button, 0, innerHeight);
    expect(say("Over a large button.")).toBe("");
    const measure = vi.spyOn(button, "getBoundingClientRect");
    act(() => runtime.toasts.set([]));
    expect(measure).not.toHaveBeenCalled();
  });

  it("moves below the controls of a header on a page full of rows", async () => {
    vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(60);
    vi.spyOn(HTMLElement.prototype, "offsetWidth", "get").mockReturnValue(350);
    const header = document.body.appendChild(document.createElement("header"));
    const place = (of: Element, bottom: number): void => {
      of.getBoundingClientRect = () => new DOMRect(0, 0, 390, bottom);
    };
    place(header.appendChild(document.createElement("button")), 56);
    place(document.body.appendChild(document.createElement("button")), innerHeight);
    const runtime = await openToaster();
    act(() => runtime.toast("Saved.", "success"));
    expect(screen.getByText("Saved.").parentElement?.parentElement?.style.marginBlockStart).toBe("56px");
  });

  it("pauses while it has the focus", async () => {
    const runtime = await openToaster();
    act(() => runtime.toast("Saved.", "success"));
    wait(2_000);
    fireEvent.focus(screen.getByRole("button", { name: "Close" }));
    wait(60_000);
    expect(screen.getByText("Saved.")).toBeTruthy();
    fireEvent.blur(screen.getByRole("button", { name: "Close" }));
    wait(999);
    expect(screen.getByText("Saved.")).toBeTruthy();
    wait(1);
    expect(screen.queryByText("Saved.")).toBeNull();
  });

  it("pauses while the pointer is on it, and continues once the pointer has left", async () => {
    const runtime = await openToaster();
    act(() => runtime.toast("Saved.", "success"));
    wait(2_000);
    const button = screen.getByRole("button", { name: "Close" });
    fireEvent.pointerEnter(button, { screenX: 0 });
    for (let screenX = 1; screenX <= 30; screenX += 1) {
      fireEvent.pointerMove(button, { screenX });
      wait(2_000);
    }
    expect(screen.getByText("Saved.")).toBeTruthy();
    fireEvent.pointerLeave(button);
    wait(999);
    expect(screen.getByText("Saved.")).toBeTruthy();
    wait(1);
    expect(screen.queryByText("Saved.")).toBeNull();
  });

  it("disappears after 3,000 ms if it appears under a pointer that does not move", async () => {
    const runtime = await openToaster();
    act(() => runtime.toast("Saved.", "success"));
    const button = screen.getByRole("button", { name: "Close" });
    fireEvent.pointerEnter(button, { screenX: 40 });
    fireEvent.pointerMove(button, { screenX: 40 });
    wait(3_000);
    expect(screen.queryByText("Saved.")).toBeNull();
  });

  it("disappears after the pointer on it has not moved for a while", async () => {
    const runtime = await openToaster();
    act(() => runtime.toast("Saved.", "success"));
    wait(2_000);
    const button = screen.getByRole("button", { name: "Close" });
    fireEvent.pointerEnter(button, { screenX: 0 });
    fireEvent.pointerMove(button, { screenX: 1 });
    wait(3_000);
    wait(999);
    expect(screen.getByText("Saved.")).toBeTruthy();
    wait(1);
    expect(screen.queryByText("Saved.")).toBeNull();
  });

  it.each([
    ["success", "status"],
    ["info", "status"],
    ["warning", "alert"],
    ["error", "alert"],
  ] as const)("is announced by screen readers: %s as %s", async (variant, role) => {
    const runtime = await openToaster();
    act(() => runtime.toast("The draft could not be saved.", variant));
    expect(screen.getAllByRole(role).map((each) => each.textContent).join()).toContain("The draft could not be saved.");
  });

  it.each([
    ["a press", (button: HTMLElement) => fireEvent.click(button)],
    ["Escape", (button: HTMLElement) => fireEvent.keyDown(button, { key: "Escape" })],
  ])("is closed by %s, and gives the focus back", async (_how, close) => {
    const field = document.body.appendChild(document.createElement("input"));
    const runtime = await openToaster();
    act(() => runtime.toast("Saved.", "info"));
    act(() => field.focus());
    act(() => screen.getByRole("button", { name: "Close" }).focus());
    close(screen.getByRole("button", { name: "Close" }));
    expect(screen.queryByText("Saved.")).toBeNull();
    expect(document.activeElement).toBe(field);
  });
});
