import { fireEvent, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { renderWidget } from "../../test/renderWidget";
import { ConfirmDialog } from "./ConfirmDialog";

const texts = {
  title: "Sure you want to Log Out?",
  text: "",
  confirmLabel: "Yes, confirm",
  cancelLabel: "No, cancel",
  isDanger: false,
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

  it("answers yes, no, and no by Escape", async () => {
    const onConfirm = vi.fn();
    const onCancel = vi.fn();
    await renderWidget(<ConfirmDialog {...texts} isOpen onConfirm={onConfirm} onCancel={onCancel} />);
    fireEvent.click(screen.getByRole("button", { name: "Yes, confirm" }));
    expect(onConfirm).toHaveBeenCalledOnce();
    fireEvent.click(screen.getByRole("button", { name: "No, cancel" }));
    fireEvent.keyDown(screen.getByRole("dialog"), { key: "Escape" });
    expect(onCancel).toHaveBeenCalledTimes(2);
  });
});
