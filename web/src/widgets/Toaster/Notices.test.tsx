import { act, fireEvent, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import type { Runtime } from "../../runtime/Runtime";
import { Toasts } from "../../runtime/Toasts";
import { renderWidget } from "../../test/renderWidget";

const SENTENCE = "Check whether your last action went through.";

/** Loads the notices with a first one, and uses fake timers from then on. */
async function openNotices(): Promise<Runtime> {
  const runtime = await renderWidget(<Toasts />);
  act(() => runtime.notify("Warming up."));
  await screen.findByText("Warming up.");
  act(() => runtime.notices.set([]));
  vi.useFakeTimers();
  return runtime;
}

describe("Notices", () => {
  it("stay until they are closed, because they require action, and are no toasts", async () => {
    const runtime = await openNotices();
    act(() => runtime.notify(SENTENCE));
    act(() => void vi.advanceTimersByTime(60 * 60_000));
    expect(screen.getByText(SENTENCE).closest(".fw-toasts")).toBeNull();
    expect(screen.getByRole("alert").textContent).toBe(SENTENCE);
    fireEvent.click(screen.getByRole("button", { name: "Close" }));
    expect(screen.queryByText(SENTENCE)).toBeNull();
  });

  it("show the id of an unexpected error beside its message", async () => {
    const runtime = await openNotices();
    act(() => runtime.notify("Something went wrong", "error", "0badc0de"));
    expect(screen.getByText("0badc0de").tagName).toBe("CODE");
  });

  it("are shown once if they are repeated", async () => {
    const runtime = await openNotices();
    act(() => {
      for (let count = 0; count < 5; count += 1) runtime.notify(SENTENCE);
    });
    expect(screen.getAllByText(SENTENCE)).toHaveLength(1);
  });
});
