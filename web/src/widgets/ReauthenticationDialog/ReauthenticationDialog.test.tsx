import { fireEvent, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { renderWidget } from "../../test/renderWidget";
import { ReauthenticationDialog } from "./ReauthenticationDialog";

const props = {
  title: "Confirm your identity",
  text: "This change asks for your password.",
  passwordLabel: "Password",
  codeLabel: "",
  passkeyLabel: "",
  confirmLabel: "Confirm",
  cancelLabel: "Cancel",
  error: "",
  options: "",
  isBusy: false,
};

describe("ReauthenticationDialog", () => {
  it("says what it asks for, and focuses the password field", async () => {
    await renderWidget(<ReauthenticationDialog {...props} />);
    expect(screen.getByRole("dialog", { name: props.title, description: props.text })).toBeTruthy();
    expect(document.activeElement).toBe(screen.getByLabelText("Password"));
    expect(screen.queryByLabelText("Code")).toBeNull();
  });

  it("sends the password", async () => {
    const onReauthenticate = vi.fn();
    await renderWidget(<ReauthenticationDialog {...props} onReauthenticate={onReauthenticate} />);
    fireEvent.change(screen.getByLabelText("Password"), { target: { value: "a quiet harbor" } });
    fireEvent.click(screen.getByRole("button", { name: "Confirm" }));
    expect(onReauthenticate).toHaveBeenCalledWith({ password: "a quiet harbor", code: "" });
  });

  it("asks for a code instead of the password", async () => {
    const onReauthenticate = vi.fn();
    await renderWidget(<ReauthenticationDialog {...props} passwordLabel="" codeLabel="Code" onReauthenticate={onReauthenticate} />);
    expect(screen.queryByLabelText("Password")).toBeNull();
    expect(document.activeElement).toBe(screen.getByLabelText("Code"));
    fireEvent.change(screen.getByLabelText("Code"), { target: { value: "123456" } });
    fireEvent.click(screen.getByRole("button", { name: "Confirm" }));
    expect(onReauthenticate).toHaveBeenCalledWith({ password: "", code: "123456" });
  });

  it("shows the error and keeps typed text", async () => {
    await renderWidget(<ReauthenticationDialog {...props} error="That was not right." />);
    expect(screen.getByRole("alert").textContent).toBe("That was not right.");
  });

  it("closes with Cancel and with Escape", async () => {
    const onCancel = vi.fn();
    await renderWidget(<ReauthenticationDialog {...props} onCancel={onCancel} />);
    fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
    fireEvent.keyDown(screen.getByRole("dialog"), { key: "Escape" });
    expect(onCancel).toHaveBeenCalledTimes(2);
  });
});
