import { act, fireEvent, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { renderWidget } from "../../test/renderWidget";
import { ConfirmDialog } from "./ConfirmDialog";

const texts = {
  title: "Sure you want to Log Out?",
  text: "",
  confirmLabel: "Yes, confirm",
  cancelLabel: "No, cancel",
  isDanger: false,
  error: "",
};

describe("ConfirmDialog", () => {
  it("is a dialog named by its question", async () => {
    await renderWidget(<ConfirmDialog {...texts} isOpen />);
    expect(screen.getByRole("dialog", { name: texts.title })).toBeTruthy();
  });

  it("shows nothing while closed", async () => {
    await renderWidget(<ConfirmDialog {...texts} isOpen={false} />);
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("confirms, cancels, and cancels with Escape", async () => {
    const onConfirm = vi.fn((_payload: object, onDone?: () => void) => onDone?.());
    const onCancel = vi.fn();
    await renderWidget(<ConfirmDialog {...texts} isOpen onConfirm={onConfirm} onCancel={onCancel} />);
    fireEvent.click(screen.getByRole("button", { name: "Yes, confirm" }));
    expect(onConfirm).toHaveBeenCalledOnce();
    fireEvent.click(screen.getByRole("button", { name: "No, cancel" }));
    fireEvent.keyDown(screen.getByRole("dialog"), { key: "Escape" });
    expect(onCancel).toHaveBeenCalledTimes(2);
  });

  it("is busy until the action has ended, and can be neither confirmed again nor dismissed", async () => {
    const onConfirm = vi.fn();
    const onCancel = vi.fn();
    await renderWidget(<ConfirmDialog {...texts} isOpen onConfirm={onConfirm} onCancel={onCancel} />);
    const confirm = screen.getByRole("button", { name: "Yes, confirm" });
    fireEvent.click(confirm);
    expect(confirm.getAttribute("aria-busy")).toBe("true");
    fireEvent.click(confirm);
    fireEvent.click(screen.getByRole("button", { name: "No, cancel" }));
    fireEvent.keyDown(screen.getByRole("dialog"), { key: "Escape" });
    expect(onConfirm).toHaveBeenCalledOnce();
    expect(onCancel).not.toHaveBeenCalled();
    const onDone = onConfirm.mock.calls[0]?.[1] as () => void;
    act(onDone);
    expect(confirm.getAttribute("aria-busy")).toBeNull();
  });

  it("shows the error", async () => {
    await renderWidget(<ConfirmDialog {...texts} isOpen error="It is gone." />);
    expect(screen.getByRole("alert").textContent).toBe("It is gone.");
  });
});
