import { act, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { renderWidget } from "../../test/renderWidget";
import { Mentions } from "./Mentions";

const ADA = { id: "1", name: "Ada Lovelace", email: "ada@example.org" };
const answer = vi.fn<(url: string) => Response>();

beforeEach(() => {
  vi.stubGlobal("fetch", async (url: string) => answer(url));
  answer.mockImplementation(() => Response.json({ items: [ADA, { id: "2", name: "Adam", email: "adam@example.org" }] }));
});

afterEach(() => {
  vi.unstubAllGlobals();
  answer.mockReset();
});

async function open(): Promise<HTMLTextAreaElement> {
  await renderWidget(
    <form onSubmit={(event) => event.preventDefault()}>
      <textarea aria-label="Comment" />
      <Mentions path="/api/workspace/members" takesFocus={false} />
    </form>,
    "me/w1",
  );
  return screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Comment" });
}

async function type(field: HTMLTextAreaElement, value: string): Promise<void> {
  field.focus();
  await act(async () => {
    fireEvent.input(field, { target: { value } });
    await Promise.resolve();
  });
}

describe("Mentions", () => {
  it("offers members of the page's workspace after @, and writes the chosen name", async () => {
    const field = await open();
    await type(field, "Ask @ad");
    expect(answer).toHaveBeenCalledWith("/api/workspace/members?text=ad&page_size=6&w=w1");
    expect(field.getAttribute("aria-activedescendant")).toBe(screen.getAllByRole("option")[0]?.id);
    fireEvent.keyDown(field, { key: "ArrowDown" });
    fireEvent.keyDown(field, { key: "ArrowDown" });
    fireEvent.keyDown(field, { key: "Enter" });
    expect(field.value).toBe("Ask @Ada Lovelace ");
    expect(screen.queryByRole("listbox")).toBeNull();
  });

  it("adds the email to a name that several members have", async () => {
    answer.mockImplementation(() => Response.json({ items: [ADA, { ...ADA, id: "2", email: "other@example.org" }] }));
    const field = await open();
    await type(field, "@");
    fireEvent.click(screen.getAllByRole("option")[1] as HTMLElement);
    expect(field.value).toBe("@Ada Lovelace (other@example.org) ");
  });

  it("closes on Escape without closing the panel, and asks no more when nobody has such a name", async () => {
    const field = await open();
    await type(field, "@a");
    expect(fireEvent.keyDown(field, { key: "Escape" })).toBe(false);
    expect(screen.queryByRole("listbox")).toBeNull();
    answer.mockImplementation(() => Response.json({ items: [] }));
    await type(field, "@x");
    answer.mockClear();
    await type(field, "@xy");
    await type(field, "me@example");
    expect(answer).not.toHaveBeenCalled();
  });

  it("sends the form on Control and Enter", async () => {
    const field = await open();
    const sent = vi.fn();
    field.form?.addEventListener("submit", sent);
    fireEvent.keyDown(field, { key: "Enter", ctrlKey: true });
    expect(sent).toHaveBeenCalledOnce();
    fireEvent.keyDown(field, { key: "Enter" });
    expect(sent).toHaveBeenCalledOnce();
  });
});
