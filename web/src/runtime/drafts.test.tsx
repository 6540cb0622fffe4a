import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { closePages, type OpenedPage, openPage } from "../test/openPage";
import type { TreeNode } from "./protocol";

const FORM = "/dashboard/blog/new-post#Post";
const form: TreeNode = {
  t: "form",
  a: { "data-draft": FORM },
  c: [
    { t: "textarea", a: { "aria-label": "Text", name: "text" } },
    { t: "input", a: { "aria-label": "Password", name: "password", type: "password" } },
    { t: "input", a: { "aria-label": "Shown password", name: "shown", type: "text", autoComplete: "new-password" } },
    { t: "input", a: { "aria-label": "Secret", name: "secret", type: "text", "data-secret": true } },
  ],
};
const elsewhere: TreeNode = { t: "p", c: ["Elsewhere"] };

const text = () => screen.getByLabelText<HTMLTextAreaElement>("Text");
const stored = () => Object.entries(localStorage).filter(([key]) => key.startsWith("draft:"));

async function open(account: string | null = "ada", tree: TreeNode = form): Promise<OpenedPage> {
  const opened = await openPage(tree, { page: { account } });
  await waitFor(() => expect(opened.isReady()).toBe(true));
  return opened;
}

/** Types into the form and leaves the page, as by a reload. */
async function typeAndLeave(words: string, account: string | null = "ada"): Promise<void> {
  await open(account);
  fireEvent.change(text(), { target: { value: words } });
  closePages();
}

describe("unsaved text of a form", () => {
  it("is offered again, and restored on request", async () => {
    await typeAndLeave("A long story");
    await open();
    expect(screen.getByText(/You have unsaved text from/).closest("[role=status]")).toBeTruthy();
    expect(text().value).toBe("");
    await userEvent.click(screen.getByRole("button", { name: "Restore" }));
    expect(text().value).toBe("A long story");
    expect(document.activeElement).toBe(text());
    expect(screen.queryByRole("button", { name: "Restore" })).toBeNull();
  });

  it("survives navigation to another item of the same page", async () => {
    const opened = await open();
    fireEvent.change(text(), { target: { value: "Half a sentence" } });
    await opened.patch(["set", [], elsewhere]);
    await opened.patch(["set", [], form]);
    expect(await screen.findByRole("button", { name: "Restore" })).toBeTruthy();
  });

  it("neither hides nor replaces text that another tab has stored since", async () => {
    await typeAndLeave("Typed in another tab");
    const [[key, storedElsewhere]] = stored() as [[string, string]];
    localStorage.clear();
    const opened = await open();
    const full = vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
      throw new DOMException("There is no room.", "QuotaExceededError");
    });
    fireEvent.change(text(), { target: { value: "Typed in this tab" } });
    await opened.patch(["set", [], elsewhere]);
    full.mockRestore();
    localStorage.setItem(key, storedElsewhere);
    await opened.patch(["set", [], form]);
    fireEvent.change(text(), { target: { value: "Typed again" } });
    closePages();
    const [[, kept]] = stored() as [[string, string]];
    for (const words of ["Typed in another tab", "Typed in this tab", "Typed again"]) expect(kept).toContain(words);
  });

  it("outlives visits in which nothing is typed", async () => {
    const options: TreeNode[] = ["Ada", "Grace"].map((name) => ({ t: "option", a: { value: name }, c: [name] }));
    const withChoice: TreeNode = { ...form, c: [...(form.c ?? []), { t: "select", a: { "aria-label": "Send to", name: "to" }, c: options }] };
    await typeAndLeave("A long story");
    for (let visit = 0; visit < 4; visit += 1) {
      await open("ada", withChoice);
      closePages();
    }
    await open("ada", withChoice);
    await userEvent.click(screen.getByRole("button", { name: "Restore" }));
    expect(text().value).toBe("A long story");
  });

  it("includes what a program entered without an event", async () => {
    await open();
    fireEvent.change(text(), { target: { value: "Typed" } });
    act(() => void dispatchEvent(new Event("pagehide")));
    text().value = "Typed and dictated";
    closePages();
    await open();
    await userEvent.click(screen.getByRole("button", { name: "Restore" }));
    expect(text().value).toBe("Typed and dictated");
  });

  it("is not stored again after it is left and forgotten", async () => {
    await typeAndLeave("A long story");
    await open();
    await userEvent.click(screen.getByRole("button", { name: "Restore" }));
    fireEvent.change(text(), { target: { value: "A long story" } }); // an event without a change
    closePages();
    localStorage.clear();
    await new Promise((done) => setTimeout(done, 300));
    expect(stored()).toEqual([]);
  });

  it("leaves a choice that no longer exists as it is", async () => {
    const choosing = (...names: string[]): TreeNode => ({
      t: "form",
      a: { "data-draft": FORM },
      c: [
        { t: "textarea", a: { "aria-label": "Text", name: "text" } },
        { t: "select", a: { "aria-label": "Send to", name: "to" }, c: names.map((name) => ({ t: "option", a: { value: name }, c: [name] })) },
      ],
    });
    await open("ada", choosing("Ada", "Grace"));
    fireEvent.change(text(), { target: { value: "Dear" } });
    fireEvent.change(screen.getByLabelText("Send to"), { target: { value: "Grace" } });
    closePages();
    await open("ada", choosing("Ada", "Eve"));
    await userEvent.click(screen.getByRole("button", { name: "Restore" }));
    expect(text().value).toBe("Dear");
    expect(screen.getByLabelText<HTMLSelectElement>("Send to").value).toBe("Ada");
  });

  it("is deleted when it is discarded", async () => {
    await typeAndLeave("Nonsense");
    await open();
    await userEvent.click(screen.getByRole("button", { name: "Discard" }));
    closePages();
    await open();
    expect(screen.queryByRole("button", { name: "Restore" })).toBeNull();
    expect(stored()).toEqual([]);
  });

  it("is deleted once the form is saved", async () => {
    const opened = await open();
    fireEvent.change(text(), { target: { value: "Finished" } });
    await opened.receive({ type: "saved", form: FORM });
    closePages();
    expect(stored()).toEqual([]);
  });

  it("is not overwritten by text typed before the offer is accepted or discarded", async () => {
    await typeAndLeave("The first text");
    await typeAndLeave("The second text");
    await open();
    await userEvent.click(screen.getByRole("button", { name: "Discard" }));
    closePages();
    await open();
    await userEvent.click(screen.getByRole("button", { name: "Restore" }));
    expect(text().value).toBe("The first text");
  });

  it("never includes a password, even a visible one", async () => {
    await open();
    await userEvent.type(screen.getByLabelText("Password"), "hush");
    await userEvent.type(screen.getByLabelText("Shown password"), "hush");
    await userEvent.type(screen.getByLabelText("Secret"), "hush");
    await userEvent.type(text(), "open");
    closePages();
    expect(stored()).toHaveLength(1);
    expect(JSON.stringify(stored())).not.toContain("hush");
  });

  it("restores the version that the changes were based on", async () => {
    const based = (on: string): TreeNode => ({
      t: "form",
      a: { "data-draft": FORM },
      c: [
        { t: "textarea", a: { "aria-label": "Text", name: "text" } },
        { t: "input", a: { name: "based_on", hidden: true, value: on } },
      ],
    });
    await open("ada", based("monday"));
    fireEvent.change(text(), { target: { value: "Begun on Monday" } });
    closePages();
    await open("ada", based("tuesday"));
    await userEvent.click(screen.getByRole("button", { name: "Restore" }));
    expect(document.querySelector<HTMLInputElement>("[name=based_on]")?.value).toBe("monday");
  });

  it("is deleted after a week", async () => {
    await typeAndLeave("Old");
    vi.spyOn(Date, "now").mockReturnValue(Date.now() + 8 * 24 * 60 * 60_000);
    await open();
    expect(screen.queryByRole("button", { name: "Restore" })).toBeNull();
    expect(stored()).toEqual([]);
  });

  it("is offered again to the same account after signing out, and to no other account", async () => {
    const { pathname, search, hash, origin, href } = location;
    vi.stubGlobal("location", { pathname, search, hash, origin, href, assign: vi.fn() });
    const opened = await open();
    fireEvent.change(text(), { target: { value: "Mine, typed just before" } });
    await opened.receive({ type: "signed_out", next: "/" });
    act(() => void dispatchEvent(new Event("pagehide")));
    closePages();
    for (const other of ["eve", null]) {
      await open(other);
      expect(screen.queryByRole("button", { name: "Restore" })).toBeNull();
      expect(document.body.textContent).not.toContain("Mine");
      closePages();
    }
    await open("ada");
    await userEvent.click(screen.getByRole("button", { name: "Restore" }));
    expect(text().value).toBe("Mine, typed just before");
  });

  it("is deleted with its account, even if it was typed just before", async () => {
    const { pathname, search, hash, origin, href } = location;
    vi.stubGlobal("location", { pathname, search, hash, origin, href, assign: vi.fn() });
    await typeAndLeave("Of someone else", "eve");
    await typeAndLeave("Mine");
    const opened = await open();
    fireEvent.change(text(), { target: { value: "Mine, too" } });
    await opened.receive({ type: "signed_out", next: "/", forget: true });
    act(() => void dispatchEvent(new Event("pagehide")));
    closePages();
    expect(stored().map(([key]) => key)).toEqual([`draft:eve:${FORM}`]);
  });

  it("makes space by deleting the oldest drafts first", async () => {
    const version = (at: number) => JSON.stringify([{ id: "x", at, fields: [{ name: "text", place: 0, value: "y".repeat(900_000), checked: false }] }]);
    localStorage.setItem("draft:ada:/old#Post", version(Date.now() - 2_000));
    localStorage.setItem("draft:ada:/new#Post", version(Date.now() - 1_000));
    await typeAndLeave("z".repeat(300_000));
    expect(stored().map(([key]) => key).sort()).toEqual([`draft:ada:${FORM}`, "draft:ada:/new#Post"].sort());
  });
});

describe("leaving a form", () => {
  const isAsked = (): boolean => {
    const event = new Event("beforeunload", { cancelable: true });
    act(() => void dispatchEvent(event));
    return event.defaultPrevented;
  };

  async function typed(words: string): Promise<void> {
    fireEvent.change(text(), { target: { value: words } });
    act(() => void dispatchEvent(new Event("pagehide")));
  }

  it("needs no confirmation while a draft is stored", async () => {
    await open();
    await typed("Kept");
    expect(isAsked()).toBe(false);
  });

  it("asks for confirmation when the browser has no space", async () => {
    await open();
    vi.spyOn(Storage.prototype, "setItem").mockImplementation((key) => {
      if (key.startsWith("draft:")) throw new DOMException("full", "QuotaExceededError");
    });
    await typed("Too much");
    expect(isAsked()).toBe(true);
    await typed("");
    expect(isAsked()).toBe(false);
  });

  it.each(["ada", null])("for another screen needs no confirmation, because the text is offered again (account: %s)", async (account) => {
    const opened = await open(account);
    vi.spyOn(Storage.prototype, "setItem").mockImplementation((key) => {
      if (key.startsWith("draft:")) throw new DOMException("full", "QuotaExceededError");
    });
    fireEvent.change(text(), { target: { value: "Too much" } });
    await opened.patch(["set", [], elsewhere]);
    expect(isAsked()).toBe(true);
    await opened.patch(["set", [], form]);
    await userEvent.click(await screen.findByRole("button", { name: "Restore" }));
    expect(text().value).toBe("Too much");
    await opened.patch(["set", [], elsewhere]);
    await opened.receive({ type: "saved", form: FORM });
    expect(isAsked()).toBe(false);
  });

  it.each([false, true])("by signing out asks for confirmation, because the text would be lost, unless the account was deleted (%s)", async (forget) => {
    const { pathname, search, hash, origin, href } = location;
    vi.stubGlobal("location", { pathname, search, hash, origin, href, assign: vi.fn() });
    const opened = await open();
    vi.spyOn(Storage.prototype, "setItem").mockImplementation((key) => {
      if (key.startsWith("draft:")) throw new DOMException("full", "QuotaExceededError");
    });
    await typed("Too much");
    await opened.receive({ type: "signed_out", next: "/", forget });
    expect(isAsked()).toBe(!forget);
  });

  it("asks for confirmation when nobody is signed in", async () => {
    await open(null);
    await typed("From a visitor");
    expect(isAsked()).toBe(true);
    expect(stored()).toEqual([]);
  });
});
