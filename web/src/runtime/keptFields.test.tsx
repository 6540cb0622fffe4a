import { act, fireEvent, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { closePages, openPage } from "../test/openPage";
import type { TreeNode } from "./protocol";

const field = (label: string, type = "text"): TreeNode => ({
  t: "input",
  a: { "aria-label": label, name: label.toLowerCase(), type },
  e: { onChange: { h: label } },
});
const page: TreeNode = { t: "form", c: [field("Name"), field("Secret", "password"), field("Box", "checkbox")] };

const name = () => screen.getByLabelText<HTMLInputElement>("Name").value;

const reload = vi.fn();

beforeEach(() => {
  reload.mockReset();
  sessionStorage.clear();
  history.replaceState(null, "", "/form?x=1");
  vi.stubGlobal("location", { pathname: "/form", search: "?x=1", origin: "http://localhost:3000", reload });
});

/** Types into the form, ends the session, and records the page that would be loaded. */
async function endSession(text = "Robotics"): Promise<void> {
  const opened = await openPage(page, { page: { account: "ada" } });
  fireEvent.change(screen.getByLabelText("Name"), { target: { value: text } });
  await userEvent.type(screen.getByLabelText("Secret"), "hush");
  await userEvent.click(screen.getByLabelText("Box"));
  await act(async () => opened.socket().close(4401));
  expect(reload).toHaveBeenCalledOnce();
  closePages();
}

describe("typed text when the session ends", () => {
  it("is restored after signing in and sent to the server", async () => {
    await endSession();
    const opened = await openPage(page, { page: { account: "ada" } });
    expect(name()).toBe("Robotics");
    expect(screen.getByLabelText<HTMLInputElement>("Box").checked).toBe(true);
    expect(opened.sent()).toEqual(
      expect.arrayContaining([expect.objectContaining({ target: "Name", data: { value: "Robotics", checked: false } })]),
    );
  });

  it("includes text typed until the page is unloaded, however long the server takes", async () => {
    const opened = await openPage(page, { page: { account: "ada" } });
    fireEvent.change(screen.getByLabelText("Name"), { target: { value: "Robo" } });
    await act(async () => opened.socket().close(4401));
    fireEvent.change(screen.getByLabelText("Name"), { target: { value: "Robotics" } });
    dispatchEvent(new Event("pagehide"));
    closePages();
    await openPage(page, { page: { account: "ada" } });
    expect(name()).toBe("Robotics");
  });

  it("contains no password", async () => {
    await endSession();
    expect(sessionStorage.getItem("kept-fields")).not.toContain("hush");
  });

  it("is neither shown to another account nor kept after that", async () => {
    await endSession();
    await openPage(page, { page: { account: "eve" } });
    expect(name()).toBe("");
    closePages();
    await openPage(page, { page: { account: "ada" } });
    expect(name()).toBe("");
  });

  it("is not restored, with a message, if it is too long for the browser's storage; other text is", async () => {
    await endSession("x".repeat(6_000_000));
    await openPage(page, { page: { account: "ada" } });
    expect(name()).toBe("");
    expect(screen.getByLabelText<HTMLInputElement>("Box").checked).toBe(true);
    expect(await screen.findByText(/too long to keep/)).toBeTruthy();
  });

  it("is kept while the login page is open", async () => {
    await endSession();
    await openPage({ t: "p", c: ["Login"] }, { page: { account: null } });
    closePages();
    await openPage(page, { page: { account: "ada" } });
    expect(name()).toBe("Robotics");
  });
});

describe("the version that the changes in a form are based on", () => {
  const based = (on: string): TreeNode => ({
    t: "form",
    a: { "aria-label": "Post" },
    e: { onSubmit: { h: "save" } },
    c: [field("Name"), { t: "input", a: { name: "based_on", hidden: true, value: on } }],
  });
  const base = () => document.querySelector<HTMLInputElement>("[name=based_on]")?.value;

  it("stays the same when a new session starts after something was typed", async () => {
    const opened = await openPage(based("monday"));
    fireEvent.change(screen.getByLabelText("Name"), { target: { value: "Robotics" } });
    await opened.receive({ type: "mount", tree: based("tuesday"), title: "Start", session: "other", build: "b" });
    expect(base()).toBe("monday");
    fireEvent.submit(screen.getByRole("form"));
    expect(opened.sent().at(-1)).toMatchObject({ data: { fields: { name: "Robotics", based_on: "monday" } } });
  });

  it("is the new one when a new session starts before anything was typed", async () => {
    const opened = await openPage(based("monday"));
    await opened.receive({ type: "mount", tree: based("tuesday"), title: "Start", session: "other", build: "b" });
    expect(base()).toBe("tuesday");
  });

  it("follows the server after the form was saved", async () => {
    const opened = await openPage(based("monday"));
    fireEvent.change(screen.getByLabelText("Name"), { target: { value: "Robotics" } });
    await opened.patch(["set", [], based("tuesday")]);
    expect(base()).toBe("tuesday");
  });

  it("is kept with the fields when the page has to reload", async () => {
    const opened = await openPage(based("monday"), { page: { account: "ada" } });
    fireEvent.change(screen.getByLabelText("Name"), { target: { value: "Robotics" } });
    await act(async () => opened.socket().close(4401));
    closePages();
    const again = await openPage(based("tuesday"), { page: { account: "ada" } });
    expect([name(), base()]).toEqual(["Robotics", "monday"]);
    await again.patch(["attrs", [], { "aria-label": "Edit" }, []]);
    expect(base()).toBe("monday");
  });
});
