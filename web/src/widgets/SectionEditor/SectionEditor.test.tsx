import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Runtime, RuntimeContext } from "../../runtime/Runtime";
import { renderWidget } from "../../test/renderWidget";
import { SectionEditor } from "./SectionEditor";

const props = {
  path: "/api/drafts/d/sections/s",
  heading: "Roofs",
  text: "We repaired **40 roofs** [1].",
  revision: 3,
  refusal: "",
  citations: [{ number: 1, title: "Annual report" }],
};

const PAGE = {
  ...{ tree: "", hash: "", complete: true, title: "", path: "/", base: "", nonce: "n", account: "ada/team", timeZone: null, notice: null, language: "en", strings: {}, modules: {}, build: "b" },
};

const answer = vi.fn<(url: string, body: Record<string, unknown>) => Response>();

beforeEach(() => {
  // jsdom has no layout.
  Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
  vi.stubGlobal("fetch", async (url: string, { body }: RequestInit) => answer(url, JSON.parse(body as string) as Record<string, unknown>));
});

afterEach(() => {
  vi.unstubAllGlobals();
  answer.mockReset();
  localStorage.clear();
});

describe("SectionEditor", () => {
  it("shows the text without Markdown syntax, and citations as chips that open the passage", async () => {
    const onCitation = vi.fn();
    await renderWidget(<SectionEditor {...props} onCitation={onCitation} />);
    const text = screen.getByRole("textbox", { name: "Text" });
    expect(text.textContent).toBe("We repaired 40 roofs 1.");
    expect(text.querySelector("strong")?.textContent).toBe("40 roofs");
    expect(text.querySelector("[data-citation='1']")).toBeTruthy();
  });

  it("saves a new heading, and shows that it is saved", async () => {
    answer.mockImplementation((_url, { heading, text }) => Response.json({ heading, text, revision: 4 }));
    await renderWidget(<SectionEditor {...props} />);
    fireEvent.change(screen.getByLabelText("Heading"), { target: { value: "Our roofs" } });
    expect(screen.getByText("Not saved yet")).toBeTruthy();
    await waitFor(() => expect(screen.getByText("Saved")).toBeTruthy(), { timeout: 4_000 });
    expect(answer).toHaveBeenCalledWith(props.path, expect.objectContaining({ heading: "Our roofs", text: props.text, based_on: 3 }));
  });

  it("says who changed the section in the meantime, and keeps the text that is not used as a version", async () => {
    const other = { heading: "Roofs", text: "Of Ben.", revision: 4 };
    const change = { changed_by: "Ben Ode", is_own_change: false, changed_at: "2026-11-27T12:00:00Z" };
    answer.mockImplementation((url, { based_on }) => {
      if (url.endsWith("/comparison")) return Response.json({ section: other, pieces: [{ kind: "removed", text: "Of Ben." }, { kind: "added", text: "Mine." }], ...change });
      if (url.endsWith("/versions")) return answer.mock.calls.length < 4 ? Response.json({ error: { message: "Too long." } }, { status: 422 }) : Response.json(other, { status: 201 });
      return based_on === 4 ? Response.json({ ...other, revision: 5 }) : Response.json({}, { status: 409 });
    });
    await renderWidget(<SectionEditor {...props} />);
    fireEvent.change(screen.getByLabelText("Heading"), { target: { value: "Mine" } });
    await waitFor(() => expect(screen.getByText(/^Ben Ode changed this section on Nov 27, 2026/)).toBeTruthy(), { timeout: 4_000 });
    expect(screen.getByText("Of Ben.").tagName).toBe("DEL");
    expect(screen.getByRole("button", { name: "Copy your text" })).toBeTruthy();
    await act(async () => fireEvent.click(screen.getByRole("button", { name: "Use the other text" })));
    expect(screen.getByText("Your text could not be kept as a version: Too long.")).toBeTruthy();
    expect(screen.getByRole("textbox", { name: "Text" }).textContent).toContain("40 roofs");
    await act(async () => fireEvent.click(screen.getByRole("button", { name: "Use the other text" })));
    expect(answer).toHaveBeenLastCalledWith(`${props.path}/versions`, { heading: "Mine", text: props.text });
    expect(screen.getByRole("textbox", { name: "Text" }).textContent).toBe("Of Ben.");
    expect(screen.getByText("Saved")).toBeTruthy();
  });

  it("says who changed the section when the text of another page replaces what is open, until the person types", async () => {
    const at = { ...props, path: "/api/drafts/d/sections/followed" };
    const other = { heading: "Roofs", text: "Of Ben.", revision: 4 };
    answer.mockImplementation(() => Response.json({ section: other, pieces: [], changed_by: "Ben Ode", is_own_change: false, changed_at: "2026-11-27T12:00:00Z" }));
    const runtime = new Runtime(PAGE);
    const shown = (given: object) => (
      <RuntimeContext value={runtime}>
        <SectionEditor {...at} {...given} />
      </RuntimeContext>
    );
    const { rerender } = render(shown({}));
    await act(async () => rerender(shown(other)));
    expect(screen.getByRole("textbox", { name: "Text" }).textContent).toBe("Of Ben.");
    expect(screen.getByRole("status").textContent).toMatch(/^Ben Ode changed this section on Nov 27, 2026.* The previous text is kept under Versions\.$/);
    fireEvent.change(screen.getByLabelText("Heading"), { target: { value: "Mine" } });
    expect(screen.getByRole("status").textContent).toBe("");
  });

  it("stays open with the text, but saves nothing, once the person may no longer edit", async () => {
    const onDone = vi.fn();
    const at = { ...props, path: "/api/drafts/d/sections/role" };
    const runtime = new Runtime(PAGE);
    const shown = (refusal: string) => (
      <RuntimeContext value={runtime}>
        <SectionEditor {...at} refusal={refusal} onDone={onDone} />
      </RuntimeContext>
    );
    const { rerender } = render(shown(""));
    fireEvent.change(screen.getByLabelText("Heading"), { target: { value: "Mine" } });
    rerender(shown("Your role has changed."));
    expect(screen.getByRole("alert").textContent).toContain("Your role has changed. Your last changes were not saved.".replace(". ", "."));
    expect(screen.getByRole("button", { name: "Copy your text" })).toBeTruthy();
    expect(screen.getByRole("textbox", { name: "Text" }).getAttribute("contenteditable")).toBe("false");
    expect(screen.getByLabelText<HTMLInputElement>("Heading").value).toBe("Mine");
    await act(async () => fireEvent.click(screen.getByRole("button", { name: "Done" })));
    expect(onDone).toHaveBeenCalledOnce();
    expect(answer).not.toHaveBeenCalled();
    expect(localStorage).toHaveLength(1);
  });

  it("closes once everything is saved, and stays open if the text could not be saved", async () => {
    const onDone = vi.fn();
    answer.mockImplementation(() => Response.json({ error: { message: "Too long." } }, { status: 422 }));
    await renderWidget(<SectionEditor {...props} onDone={onDone} />);
    fireEvent.change(screen.getByLabelText("Heading"), { target: { value: "Mine" } });
    await act(async () => fireEvent.click(screen.getByRole("button", { name: "Done" })));
    expect(onDone).not.toHaveBeenCalled();
    answer.mockReset();
    answer.mockImplementation((_url, { heading, text }) => Response.json({ heading, text, revision: 4 }));
    await act(async () => fireEvent.click(screen.getByRole("button", { name: "Done" })));
    await waitFor(() => expect(onDone).toHaveBeenCalledOnce());
    expect(answer).toHaveBeenCalledOnce();
  });

  it("has one tab stop for all controls", async () => {
    await renderWidget(<SectionEditor {...props} />);
    const stops = Array.from(screen.getByRole("toolbar").querySelectorAll<HTMLElement>("button, select")).filter(({ tabIndex }) => tabIndex === 0);
    expect(stops).toHaveLength(1);
    stops[0]?.focus();
    fireEvent.keyDown(screen.getByRole("toolbar"), { key: "ArrowRight" });
    expect(document.activeElement?.getAttribute("aria-label")).toBe("Bold");
  });
});
