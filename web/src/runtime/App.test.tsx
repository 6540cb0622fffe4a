import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { describe, expect, it, vi } from "vitest";
import { FakeSocket } from "../test/FakeSocket";
import { openPage } from "../test/openPage";
import { takeConsoleErrors } from "../test/setup";
import type { ElementNode, TreeNode } from "./protocol";
import { WidgetRegistry } from "./widgets";

const press: ElementNode = { t: "button", e: { onClick: { h: "press" } }, c: ["Press"] };

function form(attributes: Record<string, unknown> = {}): ElementNode {
  const input: ElementNode = { t: "input", a: { "aria-label": "Name", name: "name", value: "", ...attributes }, e: { onChange: { h: "typed" } } };
  return { t: "form", e: { onSubmit: { h: "save", p: 1 } }, c: [input, { t: "button", a: { type: "submit", name: "go" }, c: ["Save"] }] };
}

describe("first paint", () => {
  it("hydrates without errors, including adjacent texts", async () => {
    const tree: TreeNode = {
      f: 1,
      c: [
        { t: "p", a: { className: "fw-muted" }, c: ["Pressed ", "3", " times"] },
        { f: 1, k: "c", c: [{ t: "textarea", a: { "aria-label": "Text", value: "kept" } }] },
        { t: "select", a: { "aria-label": "Kind", value: "b" }, c: [{ t: "option", a: { value: "a" }, c: ["A"] }, { t: "option", a: { value: "b" }, c: ["B"] }] },
        { w: "Missing", c: ["fallback"] },
        { x: "e1" },
      ],
    };
    await openPage(tree, {
      html:
        '<p class="fw-muted">Pressed <!-- -->3<!-- --> times</p><textarea aria-label="Text">kept</textarea>' +
        '<select aria-label="Kind"><option value="a">A</option><option value="b" selected="">B</option></select>' +
        '<div data-widget="Missing">fallback</div><div class="fw-problem" role="alert"></div>',
    });
    expect(screen.getByText(/Pressed 3 times/)).toBeTruthy();
    expect(screen.getByText("e1")).toBeTruthy();
    expect(screen.getByLabelText<HTMLSelectElement>("Kind").value).toBe("b");
    expect(String(takeConsoleErrors())).toContain("There is no widget Missing.");
  });

  it("sends the hash of the first paint in hello, and none after a patch", async () => {
    const page = await openPage({ t: "p", c: ["one"] });
    expect(page.sent()).toEqual([{ type: "hello", path: "/", account: null, hash: "h", complete: true, build: "b" }]);
    await page.patch(["set", [0], "two"]);
    vi.useFakeTimers();
    await act(async () => page.socket().close());
    await act(() => vi.advanceTimersByTimeAsync(1000));
    vi.useRealTimers();
    await page.mount({ t: "p", c: ["three"] });
    expect(page.sent()).toMatchObject([{ type: "hello", path: "/", hash: null }]);
    expect(screen.getByText("three")).toBeTruthy();
  });

  it("is ready once the server has responded to hello and nothing is pending", async () => {
    const page = await openPage(press, { isMounted: false });
    expect(page.isReady()).toBe(false);
    await page.mount();
    expect(page.isReady()).toBe(true);
    fireEvent.click(screen.getByRole("button"));
    expect(page.isReady()).toBe(false);
    await page.receive({ type: "done", seq: 1 });
    expect(page.isReady()).toBe(true);
  });
});

describe("events", () => {
  it("are numbered and sent once", async () => {
    const page = await openPage(press);
    for (let count = 0; count < 3; count += 1) fireEvent.click(screen.getByRole("button"));
    expect(page.sent().slice(1)).toEqual([1, 2, 3].map((seq) => ({ type: "event", seq, received: 0, target: "press", data: {} })));
  });

  it("of an exclusive handler are sent once until done; the control is busy immediately and keeps the focus", async () => {
    const page = await openPage({ t: "button", e: { onClick: { h: "pay", o: 1 } }, c: ["Pay"] });
    const button = screen.getByRole<HTMLButtonElement>("button");
    button.focus();
    fireEvent.click(button);
    expect([button.ariaDisabled, button.ariaBusy, button.disabled]).toEqual(["true", "true", false]);
    expect(document.activeElement).toBe(button);
    fireEvent.click(button);
    expect(page.sent()).toHaveLength(2);
    await page.receive({ type: "done", seq: 1 });
    expect([button.hasAttribute("aria-disabled"), button.hasAttribute("aria-busy")]).toEqual([false, false]);
    fireEvent.click(button);
    expect(page.sent()).toHaveLength(3);
  });

  it("that wait for the server are queued once", async () => {
    const page = await openPage({ t: "button", e: { onClick: { h: "pay", o: 1 } }, c: ["Pay"] }, { isMounted: false });
    fireEvent.click(screen.getByRole("button"));
    fireEvent.click(screen.getByRole("button"));
    expect(screen.getByRole("button").ariaBusy).toBe("true");
    await page.mount();
    expect(page.sent()).toHaveLength(2);
    await page.receive({ type: "done", seq: 1 });
    expect(screen.getByRole("button").hasAttribute("aria-busy")).toBe(false);
  });

  it("show a message when too many are waiting for the server", async () => {
    const page = await openPage(press, { isMounted: false });
    const button = screen.getByRole("button");
    for (let count = 0; count < 60; count += 1) fireEvent.click(button);
    expect(await screen.findAllByText(/Too many actions at once/)).toHaveLength(1);
    await page.mount();
    expect(page.sent().filter((frame) => frame.type === "event")).toHaveLength(50);
  });

  it("wait for the server, then use the handler's new name", async () => {
    const page = await openPage(press, { isMounted: false });
    fireEvent.click(screen.getByRole("button"));
    expect(page.sent()).toEqual([]);
    await page.mount({ ...press, e: { onClick: { h: "renamed" } } });
    expect(page.sent().at(-1)).toMatchObject({ target: "renamed" });
  });

  it("that were pending when the connection was lost are mentioned once", async () => {
    const page = await openPage(press);
    const notices = vi.spyOn(page.runtime, "notify");
    fireEvent.click(screen.getByRole("button"));
    vi.useFakeTimers();
    for (const times of [1, 1]) {
      await act(async () => page.socket().close());
      await act(() => vi.advanceTimersByTimeAsync(1000));
      await page.mount(press);
      expect(notices).toHaveBeenCalledTimes(times);
    }
    vi.useRealTimers();
    expect(notices).toHaveBeenCalledWith("The connection was interrupted. Check whether your last action went through.");
  });

  it("contain keys as the protocol defines", async () => {
    const page = await openPage({ t: "div", a: { role: "button", tabIndex: 0 }, e: { onKeyDown: { h: "key" } } });
    fireEvent.keyDown(screen.getByRole("button"), { key: "Enter", ctrlKey: true });
    expect(page.sent().at(-1)).toMatchObject({ data: { key: "Enter", ctrl: true, meta: false, shift: false, alt: false } });
  });

  it("say whether a popover is open", async () => {
    const page = await openPage({ t: "div", a: { popover: "auto", role: "dialog" }, e: { onToggle: { h: "toggle" } } });
    for (const newState of ["open", "closed"]) {
      fireEvent(screen.getByRole("dialog", { hidden: true }), Object.assign(new Event("toggle"), { newState }));
      expect(page.sent().at(-1)).toMatchObject({ target: "toggle", data: { open: newState === "open" } });
    }
  });

  it("convert a local time to UTC", async () => {
    const page = await openPage({
      t: "form",
      e: { onSubmit: { h: "save" } },
      c: [
        { t: "input", a: { type: "datetime-local", name: "at", defaultValue: "2030-07-01T10:30" } },
        { t: "input", a: { type: "datetime-local", name: "never", defaultValue: "" } },
        { t: "input", a: { name: "words", defaultValue: "2030-07-01T10:30" } },
        { t: "button", a: { type: "submit" }, c: ["Save"] },
      ],
    });
    fireEvent.click(screen.getByRole("button", { name: "Save" }));
    const at = new Date(2030, 6, 1, 10, 30).toISOString();
    expect(page.sent().at(-1)).toMatchObject({ data: { fields: { at, never: "", words: "2030-07-01T10:30" } } });
  });

  it("submit a form once until it is done", async () => {
    const page = await openPage(form({ value: "Ada" }));
    const button = screen.getByRole("button", { name: "Save" });
    fireEvent.click(button);
    fireEvent.click(button);
    const submits = () => page.sent().filter((frame) => frame.type === "event" && frame.target === "save");
    expect(submits()).toMatchObject([{ data: { fields: { name: "Ada", go: "" }, submitter: "go" } }]);
    expect(button.closest("form")?.getAttribute("aria-busy")).toBe("true");
    expect(button.getAttribute("aria-disabled")).toBe("true");
    await page.receive({ type: "done", seq: 1 });
    fireEvent.click(button);
    expect(submits()).toHaveLength(2);
  });
});

describe("a component that failed on the server", () => {
  it("is retried alone", async () => {
    const page = await openPage({ t: "div", c: [{ x: "e1" }, { t: "p", c: ["still here"] }] });
    const retry = screen.getByRole("button", { name: "Try again" });
    fireEvent.click(retry);
    fireEvent.click(retry);
    expect(page.sent().slice(1)).toMatchObject([{ type: "event", target: "retry|e1" }]);
    expect(retry.ariaBusy).toBe("true");
    await page.patch(["set", [0], { t: "p", c: ["mended"] }]);
    expect(screen.getByText("mended")).toBeTruthy();
  });
});

describe("patches", () => {
  it("render only the changed path", async () => {
    const renders = vi.fn();
    const Probe = (): ReactNode => {
      renders();
      return <i>probe</i>;
    };
    const tree: TreeNode = { t: "div", c: [{ t: "p", c: ["one"] }, { w: "Probe" }] };
    const page = await openPage(tree, { widgets: new WidgetRegistry({ Probe: () => Promise.resolve({ Probe }) }) });
    await screen.findByText("probe");
    renders.mockClear();
    await page.patch(["set", [0, 0], "two"]);
    expect(screen.getByText("two")).toBeTruthy();
    expect(renders).not.toHaveBeenCalled();
  });

  it("that do not fit request the whole tree", async () => {
    const page = await openPage({ t: "p", c: ["one"] });
    const close = vi.spyOn(page.socket(), "close");
    await page.patch(["set", [5, 5], "two"]);
    expect(close).toHaveBeenCalled();
    expect(takeConsoleErrors()).toHaveLength(1);
  });
});

describe("fields", () => {
  const path = [0];
  const field = () => screen.getByLabelText<HTMLInputElement>("Name");

  it("keep typed text while the server has not received all of it, and then accept the server's value", async () => {
    const page = await openPage(form());
    await userEvent.type(field(), "abc");
    expect(page.sent().slice(1)).toMatchObject([{ data: { value: "a" } }, { data: { value: "ab" } }, { data: { value: "abc" } }]);
    await page.patch(["attrs", path, { value: "A", ack: 1 }, []]);
    expect(field().value).toBe("abc");
    await page.patch(["attrs", path, { value: "ABC", ack: 3 }, []]);
    expect(field().value).toBe("ABC");
  });

  it("restore the server's value after it refused the typed one", async () => {
    const page = await openPage(form());
    await userEvent.type(field(), "x");
    await page.patch(["attrs", path, { ack: 1 }, []]);
    expect(field().value).toBe("");
  });

  it("keep the cursor position", async () => {
    const page = await openPage(form({ value: "hello" }));
    await userEvent.click(field());
    field().setSelectionRange(2, 2);
    await userEvent.keyboard("x");
    await page.patch(["attrs", path, { value: "HEXLLO", ack: 1 }, []]);
    expect([field().value, field().selectionStart]).toEqual(["HEXLLO", 3]);
  });

  it("send the text of an input method when it is committed, and are not overwritten before that", async () => {
    const page = await openPage(form());
    fireEvent.compositionStart(field());
    fireEvent.input(field(), { target: { value: "に" }, isComposing: true });
    await page.patch(["attrs", path, { value: "other" }, []]);
    expect(field().value).toBe("に");
    expect(page.sent()).toHaveLength(1);
    fireEvent.input(field(), { target: { value: "日" }, isComposing: true });
    fireEvent.compositionEnd(field());
    expect(page.sent().at(-1)).toMatchObject({ data: { value: "日" } });
  });

  it("keep their content during a reconnect and send it to the new session", async () => {
    const page = await openPage(form());
    await userEvent.type(field(), "ab");
    await page.patch(["attrs", path, { value: "ab", ack: 2 }, []]);
    vi.useFakeTimers();
    await act(async () => page.socket().close());
    await act(() => vi.advanceTimersByTimeAsync(1000));
    vi.useRealTimers();
    const before = field();
    await page.mount(form());
    expect(field()).toBe(before);
    expect(field().value).toBe("ab");
    expect(page.sent().at(-1)).toMatchObject({ type: "event", seq: 1, target: "typed", data: { value: "ab", checked: false } });
  });

  it("show a message when their content is too long to send, and keep it", async () => {
    const page = await openPage(form());
    fireEvent.change(field(), { target: { value: "x".repeat(1_000_001) } });
    expect(page.sent()).toHaveLength(1);
    expect(field().value).toHaveLength(1_000_001);
    expect(await screen.findByText(/too much to send at once/)).toBeTruthy();
    expect(page.isReady()).toBe(true);
  });

  it("resend refused content once, in its current state", async () => {
    const page = await openPage(form());
    const typed = () => page.sent().flatMap((frame) => (frame.type === "event" && frame.target === "typed" ? [frame.data["value"]] : []));
    vi.useFakeTimers();
    fireEvent.change(field(), { target: { value: "a" } });
    fireEvent.change(field(), { target: { value: "ab" } });
    await page.receive({ type: "done", seq: 1, refused: true }, { type: "done", seq: 2, refused: true });
    expect(typed()).toEqual(["a", "ab"]);
    await act(() => vi.advanceTimersByTimeAsync(1500));
    vi.useRealTimers();
    expect(typed()).toEqual(["a", "ab", "ab"]);
    await page.receive({ type: "done", seq: 3 });
    expect(page.isReady()).toBe(true);
  });

  it("send what was typed before hydration", async () => {
    const html = '<form><input aria-label="Name" name="name" value=""><button type="submit" name="go">Save</button></form>';
    const runtimePage = openPage(form(), { html, isMounted: false });
    field().value = "early";
    const page = await runtimePage;
    await page.mount();
    expect(field().value).toBe("early");
    expect(page.sent().at(-1)).toMatchObject({ target: "typed", data: { value: "early" } });
  });

  it("with another name do not inherit typed text", async () => {
    const page = await openPage(form());
    await userEvent.type(field(), "ab");
    await page.patch(["set", path, { t: "input", a: { "aria-label": "Other", name: "other", value: "" } }]);
    expect(screen.getByLabelText<HTMLInputElement>("Other").value).toBe("");
  });

  it("send whether checkboxes are checked, and multiple selections as a list", async () => {
    const page = await openPage({
      f: 1,
      c: [
        { t: "input", a: { type: "checkbox", "aria-label": "Box", checked: true }, e: { onChange: { h: "box" } } },
        { t: "select", a: { "aria-label": "Many", multiple: true, value: ["a"] }, e: { onChange: { h: "many" } }, c: [{ t: "option", a: { value: "a" }, c: ["A"] }, { t: "option", a: { value: "b" }, c: ["B"] }] },
      ],
    });
    await userEvent.click(screen.getByLabelText("Box"));
    expect(page.sent().at(-1)).toMatchObject({ target: "box", data: { checked: false } });
    await userEvent.selectOptions(screen.getByLabelText("Many"), "b");
    expect(page.sent().at(-1)).toMatchObject({ target: "many", data: { value: ["a", "b"] } });
  });
});

describe("a lost connection", () => {
  it("is shown only when it lasts", async () => {
    const page = await openPage(press);
    vi.useFakeTimers();
    await act(async () => page.socket().close());
    await act(() => vi.advanceTimersByTimeAsync(1500));
    expect(screen.queryByText("Reconnecting…")).toBeNull();
    await act(() => vi.advanceTimersByTimeAsync(1000));
    expect(screen.getByText("Reconnecting…")).toBeTruthy();
    expect(page.isReady()).toBe(false);
    vi.useRealTimers();
    await page.mount();
    expect(screen.queryByText("Reconnecting…")).toBeNull();
  });

  it("is retried with increasing delays", async () => {
    vi.useFakeTimers();
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("down")));
    await openPage(press, { isMounted: false });
    const gaps: number[] = [];
    for (let count = 0; count < 8; count += 1) {
      const sockets = FakeSocket.all.length;
      FakeSocket.last.close();
      let gap = 0;
      while (FakeSocket.all.length === sockets) {
        await vi.advanceTimersByTimeAsync(250);
        gap += 250;
      }
      gaps.push(gap);
    }
    vi.useRealTimers();
    expect(gaps).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
  });
});

describe("a page that is refused", () => {
  const note: ElementNode = { t: "input", a: { "aria-label": "Note" }, e: { onChange: { h: "typed" } } };
  const full = "Too many pages are open.";

  it("shows the reason until it is accepted, while it retries", async () => {
    const page = await openPage(press, { isMounted: false });
    vi.useFakeTimers();
    for (let tries = 0; tries < 3; tries += 1) {
      await act(async () => page.socket().open());
      await page.receive({ type: "refused", sentence: full });
      await act(async () => page.socket().close(4429));
      await act(() => vi.advanceTimersByTimeAsync(3_000));
      expect(screen.getAllByText(full)).toHaveLength(1);
      expect(screen.queryByText("Reconnecting…")).toBeNull();
      expect(page.isReady()).toBe(false);
    }
    vi.useRealTimers();
    await page.mount();
    expect(screen.queryByText(full)).toBeNull();
    expect(page.isReady()).toBe(true);
  });

  it.each(["while the server lets it wait", "while it waits to come back"])("retries immediately when the person requests it, %s", async (when) => {
    const page = await openPage(press, { isMounted: false });
    vi.useFakeTimers();
    await act(async () => page.socket().open());
    await page.receive({ type: "refused", sentence: full });
    const before = page.socket();
    if (when === "while it waits to come back") await act(async () => before.close(4429));
    fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    await act(() => vi.advanceTimersByTimeAsync(when === "while it waits to come back" ? 0 : 400));
    vi.useRealTimers();
    expect(page.socket()).not.toBe(before);
  });

  it("shows the available content when the person retries a page with a part that cannot be loaded", async () => {
    const page = await openPage(press, { isMounted: false });
    vi.useFakeTimers();
    await act(async () => page.socket().open());
    await page.receive({ type: "refused", sentence: "This page may be out of date." });
    fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    await act(() => vi.advanceTimersByTimeAsync(400));
    await act(async () => page.socket().open());
    expect(page.sent()).toMatchObject([{ type: "hello", complete: false }]);
    await page.receive({ type: "mount", tree: null, title: "Start", session: "s", build: "b" });
    await act(async () => page.socket().close());
    await act(() => vi.advanceTimersByTimeAsync(1_000));
    await act(async () => page.socket().open());
    expect(page.sent()).toMatchObject([{ type: "hello", complete: true }]);
    vi.useRealTimers();
  });

  it("shows the first paint and queues input until it is accepted", async () => {
    const page = await openPage({ t: "form", a: { "aria-label": "Note" }, c: [note, press] }, { isMounted: false });
    await act(async () => page.socket().open());
    await page.receive({ type: "pong" });
    const field = screen.getByRole<HTMLInputElement>("textbox");
    await userEvent.type(field, "typed");
    fireEvent.click(screen.getByRole("button"));
    expect(page.sent()).toHaveLength(1);
    await page.receive({ type: "mount", tree: null, title: "Start", session: "s", build: "b" });
    expect(screen.getByRole<HTMLInputElement>("textbox")).toBe(field);
    expect(field.value).toBe("typed");
    expect(page.sent().slice(1)).toMatchObject([
      { type: "event", seq: 1, target: "typed", data: { value: "typed" } },
      { type: "event", seq: 2, target: "press" },
    ]);
  });

  it("reports once it shows a complete screen", async () => {
    const page = await openPage(press, { isMounted: false, page: { complete: false } });
    await act(async () => page.socket().open());
    expect(page.sent()).toMatchObject([{ type: "hello", complete: false }]);
    await page.receive({ type: "mount", tree: null, title: "Start", session: "s", build: "b" });
    vi.useFakeTimers();
    await act(async () => page.socket().close());
    await act(() => vi.advanceTimersByTimeAsync(1_000));
    vi.useRealTimers();
    await act(async () => page.socket().open());
    expect(page.sent()).toMatchObject([{ type: "hello", complete: true }]);
  });
});

describe("widgets", () => {
  const Failing = (): ReactNode => {
    throw new Error("broken");
  };

  it("show their fallback until they have loaded, and send their payload", async () => {
    const Picker = ({ label, onPick }: { label: string; onPick: (payload: object) => void }): ReactNode => (
      <button onClick={() => onPick({ id: 7 })}>{label}</button>
    );
    let arrive: (module: object) => void = () => undefined;
    const widgets = new WidgetRegistry({ Picker: () => new Promise((resolve) => (arrive = resolve)) });
    const page = await openPage({ w: "Picker", a: { label: "Pick" }, e: { onPick: { h: "picked" } }, c: ["please wait"] }, { widgets });
    expect(screen.getByText("please wait")).toBeTruthy();
    expect(page.isReady()).toBe(false);
    await act(async () => arrive({ Picker }));
    fireEvent.click(screen.getByRole("button", { name: "Pick" }));
    expect(page.sent().at(-1)).toMatchObject({ target: "picked", data: { id: 7 } });
  });

  it("that fail show an error in their place", async () => {
    const tree: TreeNode = { t: "div", c: [{ w: "Failing" }, { t: "p", c: ["still here"] }] };
    const page = await openPage(tree, { widgets: new WidgetRegistry({ Failing: () => Promise.resolve({ Failing }) }) });
    expect(await screen.findByRole("alert")).toBeTruthy();
    expect(screen.getByText("still here")).toBeTruthy();
    const [fault] = page.sent().filter((frame) => frame.type === "fault");
    expect(fault).toMatchObject({ part: "Failing", message: "Error: broken" });
    expect(screen.getByText(fault?.id ?? "none")).toBeTruthy();
    takeConsoleErrors();
  });

  it("that fail are shown when a retry succeeds", async () => {
    let isBroken = true;
    const Fragile = (): ReactNode => {
      if (isBroken) throw new Error("broken");
      return <p>mended</p>;
    };
    await openPage({ w: "Fragile" }, { widgets: new WidgetRegistry({ Fragile: () => Promise.resolve({ Fragile }) }) });
    isBroken = false;
    fireEvent.click(await screen.findByRole("button", { name: "Try again" }));
    expect(screen.getByText("mended")).toBeTruthy();
    takeConsoleErrors();
  });

  it("whose code could not be fetched are fetched again on retry", async () => {
    const Late = (): ReactNode => <p>there</p>;
    const load = vi.fn().mockRejectedValueOnce(new Error("network")).mockResolvedValue({ Late });
    await openPage({ w: "Late" }, { widgets: new WidgetRegistry({ Late: load }) });
    fireEvent.click(await screen.findByRole("button", { name: "Try again" }));
    expect(await screen.findByText("there")).toBeTruthy();
    takeConsoleErrors();
  });
});

describe("toasts", () => {
  it("are shown and announced", async () => {
    const page = await openPage(press);
    await page.receive({ type: "toast", message: "It worked.", variant: "success" });
    const toast = await screen.findByText("It worked.");
    expect(toast.closest(".fw-toasts [role=status]")).not.toBeNull();
  });

  it.each(["error", "warning"] as const)("are not for what must be read: %s", async (variant) => {
    const page = await openPage(press);
    await page.receive({ type: "toast", message: "Choose a file first.", variant });
    const notice = await screen.findByText("Choose a file first.");
    expect(notice.closest(".fw-notices [role=alert]")).not.toBeNull();
    vi.useFakeTimers();
    act(() => void vi.advanceTimersByTime(60 * 60_000));
    vi.useRealTimers();
    expect(screen.getByText("Choose a file first.")).toBeTruthy();
  });

  it("leave nothing of an error when another screen is shown", async () => {
    const page = await openPage(press);
    await page.receive({ type: "toast", message: "Choose a file first.", variant: "error" });
    await screen.findByText("Choose a file first.");
    await page.receive({ type: "navigate", path: "/elsewhere" });
    await page.receive({ type: "arrived" });
    await waitFor(() => expect(screen.queryByText("Choose a file first.")).toBeNull());
  });
});
