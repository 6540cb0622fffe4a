import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { WidgetRegistry } from "../../runtime/widgets";
import { openPage } from "../../test/openPage";
import type { TreeNode } from "../../runtime/protocol";

const widgets = (): WidgetRegistry => new WidgetRegistry({ FormDialog: () => import("./FormDialog") });

function dialog(isOpen: boolean): TreeNode {
  const field: TreeNode = { t: "input", a: { name: "name", "aria-label": "Name" }, e: { onChange: { h: "typed" } } };
  const content: TreeNode = { f: 1, k: "slot:children", ...(isOpen && { c: [field] }) };
  return { w: "FormDialog", a: { isOpen, title: "New note" }, e: { onClose: { h: "close" } }, c: [content] };
}

it("shows the server's form in a dialog while it is open", async () => {
  const page = await openPage(dialog(false), { widgets: widgets() });
  expect(screen.queryByRole("dialog")).toBeNull();
  await page.patch(["set", [], dialog(true)]);
  expect(await screen.findByRole("dialog", { name: "New note" })).toBeTruthy();
  await userEvent.type(screen.getByLabelText("Name"), "A");
  expect(page.sent().some((frame) => frame.type === "event" && frame.target === "typed")).toBe(true);
  await userEvent.keyboard("{Escape}");
  expect(page.sent().some((frame) => frame.type === "event" && frame.target === "close")).toBe(true);
});
