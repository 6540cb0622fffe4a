import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { renderWidget } from "../../test/renderWidget";
import { keepText } from "../../runtime/drafts";
import { UnsavedTexts } from "./UnsavedTexts";

const path = "/api/drafts/d/sections/";
const sections = [{ id: "roofs", heading: "Roofs" }];

function keep(sectionId: string, heading: string, text: string): void {
  const closed = Date.now() - 60_000;
  keepText("ada", path + sectionId, { id: sectionId, at: closed, heading, text, basedOn: 1, sent: null, tab: "t" } as never);
}

afterEach(() => localStorage.clear());

describe("UnsavedTexts", () => {
  it("links to a section whose text was not saved", async () => {
    const onContinue = vi.fn();
    keep("roofs", "Roofs", "Typed");
    await renderWidget(<UnsavedTexts path={path} sections={sections} editing="" onContinue={onContinue} />, "ada");
    expect(screen.getByRole("status").textContent).toContain("Your text in “Roofs” has not been saved.");
    await userEvent.click(screen.getByRole("button", { name: "Continue editing" }));
    expect(onContinue).toHaveBeenCalledWith({ id: "roofs" });
  });

  it("does not list the section that is being edited, or other drafts", async () => {
    keep("roofs", "Roofs", "Typed");
    keepText("ada", "/api/drafts/other/sections/roofs", { id: "x", at: 0 });
    await renderWidget(<UnsavedTexts path={path} sections={sections} editing="roofs" />, "ada");
    expect(screen.getByRole("status").textContent).toBe("");
  });

  it("offers the text of a deleted section until it is discarded", async () => {
    const user = userEvent.setup();
    keep("gone", "Gutters", "Typed into nothing");
    await renderWidget(<UnsavedTexts path={path} sections={sections} editing="gone" />, "ada");
    expect(screen.getByText(/“Gutters” was deleted/)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Copy your text" }));
    expect(await navigator.clipboard.readText()).toBe("Typed into nothing");
    await act(async () => user.click(screen.getByRole("button", { name: "Discard" })));
    expect(screen.queryByText(/Gutters/)).toBeNull();
    expect(localStorage).toHaveLength(0);
  });

  it("lets people who may no longer edit copy their text", async () => {
    keep("roofs", "Roofs", "Typed");
    await renderWidget(<UnsavedTexts path={path} sections={sections} editing="" />, "ada");
    expect(screen.queryByRole("button", { name: "Continue editing" })).toBeNull();
    expect(screen.getByRole("button", { name: "Copy your text" })).toBeTruthy();
  });
});
