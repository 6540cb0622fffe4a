import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { openPage } from "../test/openPage";
import type { TreeNode } from "./protocol";

const field = (label: string, isInvalid = false): TreeNode => ({
  t: "input",
  a: { "aria-label": label, name: label.toLowerCase(), ...(isInvalid && { "aria-invalid": true }) },
});
const form = (...invalid: string[]): TreeNode => ({
  t: "main",
  c: [
    {
      t: "form",
      e: { onSubmit: { h: "sent", p: 1 } },
      c: [...["Name", "Email", "Note"].map((label) => field(label, invalid.includes(label))), { t: "button", a: { type: "submit" }, c: ["Send"] }],
    },
    { t: "a", a: { href: "#x" }, c: ["Elsewhere"] },
  ],
});

describe("a form that the server has refused", () => {
  it("focuses the first invalid field", async () => {
    const opened = await openPage(form());
    await userEvent.click(screen.getByRole("button", { name: "Send" }));
    await opened.receive({ type: "patch", ops: [["set", [], form("Email", "Note")]] }, { type: "done", seq: 1 });
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Email")));
  });

  it("focuses an error that concerns no field", async () => {
    const opened = await openPage(form());
    await userEvent.click(screen.getByRole("button", { name: "Send" }));
    const complaint: TreeNode = { t: "p", a: { tabIndex: -1, "data-complaint": true }, c: ["The years are out of order."] };
    await opened.receive({ type: "patch", ops: [["set", [0, 3], complaint]] }, { type: "done", seq: 1 });
    await waitFor(() => expect(document.activeElement).toBe(screen.getByText("The years are out of order.")));
  });

  it("does not take the focus from another control", async () => {
    const opened = await openPage(form());
    await userEvent.click(screen.getByRole("button", { name: "Send" }));
    screen.getByText("Elsewhere").focus();
    await opened.receive({ type: "patch", ops: [["set", [], form("Email")]] }, { type: "done", seq: 1 });
    expect(document.activeElement).toBe(screen.getByText("Elsewhere"));
  });
});

describe("a form that the server has accepted", () => {
  it("keeps the focus on its button", async () => {
    const opened = await openPage(form());
    await userEvent.click(screen.getByRole("button", { name: "Send" }));
    await opened.receive({ type: "done", seq: 1 });
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Send" }));
  });
});
