import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { renderWidget } from "../../test/renderWidget";
import { CopyButton } from "./CopyButton";

const props = {
  text: "# Cover letter\n\nWe repair roofs [1].",
  label: "Copy draft",
  copiedLabel: "Copied",
  refusedLabel: "The browser refused. Copy the selected text.",
  isSmall: false,
  isPath: false,
};

describe("CopyButton", () => {
  it("copies the text and announces it", async () => {
    const user = userEvent.setup();
    await renderWidget(<CopyButton {...props} />);
    expect(screen.getByRole("status").textContent).toBe("");
    await user.click(screen.getByRole("button", { name: "Copy draft" }));
    expect(await navigator.clipboard.readText()).toBe(props.text);
    expect(screen.getByRole("status").textContent).toBe("Copied");
  });

  it("turns a path into a complete address", async () => {
    const user = userEvent.setup();
    await renderWidget(<CopyButton {...props} text="/auth/login" isPath />);
    await user.click(screen.getByRole("button", { name: "Copy draft" }));
    expect(await navigator.clipboard.readText()).toBe(`${location.origin}/auth/login`);
  });

  it("shows the text selected if access to the clipboard is denied", async () => {
    const user = userEvent.setup();
    vi.spyOn(navigator.clipboard, "writeText").mockRejectedValue(new DOMException("denied", "NotAllowedError"));
    await renderWidget(<CopyButton {...props} />);
    await user.click(screen.getByRole("button", { name: "Copy draft" }));
    const shown = screen.getByRole<HTMLTextAreaElement>("textbox", { name: props.refusedLabel });
    expect(shown.value.slice(shown.selectionStart, shown.selectionEnd)).toBe(props.text);
    expect(screen.getByRole("status").textContent).toBe("");
  });
});
