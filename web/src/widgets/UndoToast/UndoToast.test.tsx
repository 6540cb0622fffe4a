import { act, fireEvent, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Toasts } from "../../runtime/Toasts";
import { renderWidget } from "../../test/renderWidget";
import { UndoToast } from "./UndoToast";

describe("UndoToast", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("offers to undo for ten seconds, and then tells the server", async () => {
    const [onUndo, onClose] = [vi.fn(), vi.fn()];
    await renderWidget(
      <>
        <Toasts />
        <UndoToast message="Removed." label="Undo" onUndo={onUndo} onClose={onClose} />
      </>,
    );
    fireEvent.click(await screen.findByRole("button", { name: "Undo" }));
    expect(onUndo).toHaveBeenCalledOnce();
    expect(onClose).not.toHaveBeenCalled();
    fireEvent.click(screen.getByRole("button", { name: "Close" }));
    expect(screen.queryByText("Removed.")).toBeNull();
    expect(onClose).toHaveBeenCalledOnce();
  });

  it("disappears with the offer, and by itself after ten seconds", async () => {
    const onClose = vi.fn();
    const runtime = await renderWidget(<Toasts />);
    act(() => runtime.notify("Warming up."));
    await screen.findByText("Warming up.");
    act(() => runtime.notices.set([]));
    vi.useFakeTimers();
    const undo = { label: "Undo", onUndo: vi.fn(), onClose };
    let remove = (): void => undefined;
    act(() => {
      remove = runtime.offerUndo("First.", undo);
    });
    act(remove);
    expect(screen.queryByText("First.")).toBeNull();
    act(() => void runtime.offerUndo("Second.", undo));
    act(() => void vi.advanceTimersByTime(9_999));
    expect(screen.getByText("Second.")).toBeTruthy();
    act(() => void vi.advanceTimersByTime(1));
    expect(screen.queryByText("Second.")).toBeNull();
    expect(onClose).toHaveBeenCalledOnce();
  });
});
