import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { openPage } from "../test/openPage";
import type { TreeNode } from "./protocol";

const row = (title: string, isSettled = false): TreeNode => ({
  t: "li",
  k: title,
  a: { "data-row": true },
  c: [
    { t: "div", a: { inert: isSettled }, c: [{ t: "button", a: { type: "button", name: "accept" }, e: { onClick: { h: title } }, c: [`Accept ${title}`] }] },
    isSettled ? { t: "button", a: { type: "button", name: "undo" }, c: [`Undo ${title}`] } : { f: 1 },
  ],
});
const list = (...rows: TreeNode[]): TreeNode => ({ t: "main", c: [{ t: "h1", c: ["Review"] }, { t: "section", a: { "aria-label": "Queue" }, c: [{ t: "ul", c: rows }] }] });

const focused = (): string | null => document.activeElement?.textContent ?? null;

/** Opens the list, clicks the button, and responds with the next list. */
async function press(name: string, before: TreeNode, after: TreeNode): Promise<void> {
  const opened = await openPage(before, { page: { account: "ada" } });
  await waitFor(() => expect(opened.isReady()).toBe(true));
  await userEvent.click(screen.getByRole("button", { name }));
  await opened.patch(["set", [], after]);
}

describe("the focus, when its control disappears", () => {
  it("moves to the same action of the next row", async () => {
    await press("Accept b", list(row("a"), row("b"), row("c")), list(row("a"), row("b", true), row("c")));
    await waitFor(() => expect(focused()).toBe("Accept c"));
  });

  it("moves from the last row to the row above", async () => {
    await press("Accept c", list(row("a"), row("b", true), row("c")), list(row("a"), row("b", true), row("c", true)));
    await waitFor(() => expect(focused()).toBe("Accept a"));
  });

  it("stays in the row if there is no other one", async () => {
    await press("Accept a", list(row("a")), list(row("a", true)));
    await waitFor(() => expect(focused()).toBe("Undo a"));
  });

  it("stays in the row whose action was undone, so that pressing again does not undo another action", async () => {
    await press("Undo a", list(row("a", true), row("b", true)), list(row("a"), row("b", true)));
    await waitFor(() => expect(focused()).toBe("Accept a"));
  });

  it("moves to the row that took the place of a removed one", async () => {
    await press("Accept b", list(row("a"), row("b"), row("c")), list(row("a"), row("c")));
    await waitFor(() => expect(focused()).toBe("Accept c"));
  });

  it("moves to the section if the list is empty", async () => {
    await press("Accept a", list(row("a")), list());
    await waitFor(() => expect(document.activeElement?.getAttribute("aria-label")).toBe("Queue"));
  });

  it("moves to the field that replaces the one in which Enter was pressed", async () => {
    const field = (text: string): TreeNode => ({ t: "input", k: text, a: { name: "q", "aria-label": "Search", value: text } });
    const searched = (text: string): TreeNode => ({
      t: "form",
      a: { "aria-label": "Search notices" },
      e: { onSubmit: { h: "search", p: 1 } },
      c: [field(text), { t: "button", a: { type: "submit" }, c: ["Search"] }],
    });
    const opened = await openPage(searched(""), { page: { account: "ada" } });
    await waitFor(() => expect(opened.isReady()).toBe(true));
    await userEvent.type(screen.getByLabelText("Search"), "roof");
    fireEvent.click(screen.getByText("Search"), { detail: 0 });
    await opened.patch(["children", [], [field("roof"), 1]]);
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Search")));
  });

  it("stays where the person has moved it", async () => {
    const opened = await openPage(list(row("a"), row("b")), { page: { account: "ada" } });
    await waitFor(() => expect(opened.isReady()).toBe(true));
    await userEvent.click(screen.getByRole("button", { name: "Accept a" }));
    await userEvent.click(document.body);
    await opened.patch(["set", [], list(row("b"))]);
    await act(async () => {
      await Promise.resolve();
    });
    expect(document.activeElement).toBe(document.body);
  });
});

describe("the focus, when a form appears", () => {
  const form = (key: string): TreeNode => ({
    t: "form",
    k: key,
    c: [
      { t: "input", a: { "aria-label": "Message", name: "message" } },
      { t: "button", a: { type: "button" }, c: ["Send"] },
    ],
  });
  const opener = (isOpen: boolean): TreeNode => ({
    t: "main",
    c: [{ t: "h1", c: ["Category"] }, { t: "button", a: { type: "button", disabled: isOpen }, c: ["New category"] }, isOpen ? form("new") : { f: 1 }],
  });
  const feedback = (key: string): TreeNode => ({ t: "main", c: [{ t: "h1", c: ["Feedback"] }, { t: "article", c: [form(key)] }] });

  it.each([
    ["opened by a button that then is disabled", "New category", opener(false), opener(true)],
    ["replacing the one that was sent", "Send", feedback("form:0"), feedback("form:1")],
  ])("moves to its first field: %s", async (_how, name, before, after) => {
    await press(name, before, after);
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Message")));
  });
});

describe("the focus, in a field that begins with a text to replace", () => {
  const dialog: TreeNode = {
    t: "form",
    c: [
      { t: "input", a: { "aria-label": "Name", name: "name", "data-select": true, defaultValue: "boats" } },
      { t: "input", a: { "aria-label": "Note", name: "note", defaultValue: "kept" } },
    ],
  };

  it("selects the text, so that typing replaces it, but not what was typed", async () => {
    const opened = await openPage(dialog, { page: { account: "ada" } });
    const [name, note] = ["Name", "Note"].map((label) => screen.getByLabelText<HTMLInputElement>(label));
    // Also if the field has the focus before the page is ready.
    act(() => name?.focus());
    await waitFor(() => expect(opened.isReady()).toBe(true));
    await userEvent.keyboard("Harbor");
    expect(name?.value).toBe("Harbor");
    act(() => note?.focus());
    act(() => name?.focus());
    name?.setSelectionRange(6, 6);
    act(() => note?.focus());
    act(() => name?.focus());
    expect([name?.selectionStart, name?.selectionEnd]).toEqual([6, 6]);
    act(() => note?.focus());
    expect(note?.selectionStart).toBe(note?.selectionEnd);
  });
});

describe("the focus, when a form opens in a row and closes", () => {
  const card = (title: string, isEdited = false): TreeNode => ({
    t: "article",
    k: title,
    a: isEdited ? {} : { "data-row": true },
    c: [
      { t: "button", a: { type: "button", name: "examples" }, c: [`Examples of ${title}`] },
      isEdited
        ? {
            t: "form",
            c: [
              { t: "input", a: { "aria-label": "Name", name: "name" } },
              { t: "button", a: { type: "button" }, c: ["Save"] },
            ],
          }
        : { t: "button", a: { type: "button", name: "edit" }, c: [`Edit ${title}`] },
    ],
  });
  const cards = (edited: string): TreeNode => ({ t: "main", c: [{ t: "div", c: ["a", "b"].map((title) => card(title, title === edited)) }] });

  it("moves to the first field, not to the same action of another row", async () => {
    await press("Edit b", cards(""), cards("b"));
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Name")));
  });

  it("returns to the control that opened it", async () => {
    const opened = await openPage(cards(""), { page: { account: "ada" } });
    await waitFor(() => expect(opened.isReady()).toBe(true));
    await userEvent.click(screen.getByText("Edit b"));
    await opened.patch(["set", [], cards("b")]);
    await userEvent.type(await screen.findByLabelText("Name"), "c");
    await userEvent.click(screen.getByText("Save"));
    await opened.patch(["set", [], cards("")]);
    await waitFor(() => expect(focused()).toBe("Edit b"));
  });

  it("returns to the button that is enabled again", async () => {
    const screenWith = (isOpen: boolean): TreeNode => ({
      t: "main",
      c: [
        { t: "h1", c: ["Category"] },
        { t: "button", a: { type: "button", disabled: isOpen }, c: ["New category"] },
        isOpen ? { t: "section", c: [{ t: "form", c: [{ t: "button", a: { type: "button" }, c: ["Cancel"] }] }] } : { f: 1 },
      ],
    });
    const opened = await openPage(screenWith(false), { page: { account: "ada" } });
    await waitFor(() => expect(opened.isReady()).toBe(true));
    await userEvent.click(screen.getByText("New category"));
    await opened.patch(["set", [], screenWith(true)]);
    await userEvent.click(screen.getByText("Cancel"));
    await opened.patch(["set", [], screenWith(false)]);
    await waitFor(() => expect(focused()).toBe("New category"));
  });
});

describe("a key that is held down", () => {
  it("does not act on one row after another", async () => {
    const opened = await openPage(list(row("a")), { page: { account: "ada" } });
    await waitFor(() => expect(opened.isReady()).toBe(true));
    const button = screen.getByRole("button", { name: "Accept a" });
    expect(fireEvent.keyDown(button, { key: "Enter" })).toBe(true);
    expect(fireEvent.keyDown(button, { key: "Enter", repeat: true })).toBe(false);
  });
});
