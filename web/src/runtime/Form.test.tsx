import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
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

describe("a request that gets no response", () => {
  const request: TreeNode = {
    t: "form",
    a: { "data-request": true },
    e: { onSubmit: { h: "sent", p: 1 } },
    c: [{ t: "input", a: { "aria-label": "Email", name: "email" } }, { t: "button", a: { type: "submit" }, c: ["Login"] }],
  };
  const login = (): void => void fireEvent.click(screen.getByRole("button", { name: "Login" }));
  const failure = (): string | null => screen.queryByRole("alert")?.textContent ?? null;

  async function openRequest() {
    const opened = await openPage(request);
    await waitFor(() => expect(opened.isReady()).toBe(true));
    vi.useFakeTimers();
    return opened;
  }
  const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

  it("fails at once without a network, above the fields, and keeps what was typed", async () => {
    const opened = await openRequest();
    vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
    await act(async () => void dispatchEvent(new Event("offline")));
    fireEvent.change(screen.getByLabelText("Email"), { target: { value: "ada@example.org" } });
    login();
    await pass(0);
    expect(failure()).toBe("Something went wrong");
    expect(screen.getByRole("alert").compareDocumentPosition(screen.getByLabelText("Email"))).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    expect(screen.getByLabelText<HTMLInputElement>("Email").value).toBe("ada@example.org");
    expect(screen.getByRole("button", { name: "Login" }).closest("form")?.getAttribute("aria-busy")).toBeNull();
    expect(opened.sent().filter(({ type }) => type === "event")).toEqual([]);
  });

  it("fails when the connection stays lost, and is not sent later", async () => {
    const opened = await openRequest();
    await act(async () => opened.socket().close());
    login();
    await pass(1_900);
    expect(failure()).toBeNull();
    await pass(200);
    expect(failure()).toBe("Something went wrong");
    await opened.mount(request);
    expect(opened.sent().filter(({ type }) => type === "event")).toEqual([]);
  });

  it("fails after 20 s", async () => {
    await openRequest();
    login();
    await pass(19_900);
    expect(failure()).toBeNull();
    await pass(200);
    expect(failure()).toBe("Something went wrong");
  });

  it("leaves no alert once it is tried again and gets a response", async () => {
    const opened = await openRequest();
    login();
    await pass(20_100);
    login();
    await pass(0);
    expect(failure()).toBeNull();
    await opened.receive({ type: "done", seq: 2 });
    await pass(60_000);
    expect(failure()).toBeNull();
  });

  it("shows why the last step of a sign-in failed", async () => {
    const opened = await openRequest();
    vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ error: { message: "The service is being maintained." } }, { status: 503 })));
    await opened.receive({ type: "handover", code: "c", next: "/" });
    await pass(0);
    expect(failure()).toBe("The service is being maintained.");
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
