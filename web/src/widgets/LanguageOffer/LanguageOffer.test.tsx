import { cleanup, fireEvent, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { renderWidget } from "../../test/renderWidget";
import { LanguageOffer } from "./LanguageOffer";

const languages = [
  { code: "de", accept: "Fundwright auf Deutsch anzeigen", dismiss: "Englisch behalten" },
  { code: "fr", accept: "Afficher Fundwright en français", dismiss: "Garder l’anglais" },
] as const;

async function show(...preferred: string[]): Promise<void> {
  vi.spyOn(navigator, "languages", "get").mockReturnValue(preferred);
  await renderWidget(<LanguageOffer languages={languages} />);
}

describe("LanguageOffer", () => {
  it.each([
    [["de-AT", "en"], "Fundwright auf Deutsch anzeigen"],
    [["nl", "fr-CH"], "Afficher Fundwright en français"],
    [["en-US", "de"], null],
    [["nl"], null],
    [[], null],
  ])("offers the first language of the browser that exists, but not English: %s", async (preferred, offered) => {
    await show(...preferred);
    expect(screen.queryByRole("complementary")?.getAttribute("aria-label") ?? null).toBe(offered);
  });

  it("is in its own language", async () => {
    await show("de");
    expect(screen.getByRole("complementary").lang).toBe("de");
  });

  it("shows the page again in the language that was accepted", async () => {
    const { pathname, search } = location;
    const reload = vi.fn();
    vi.stubGlobal("location", { pathname, search, reload });
    await show("de");
    fireEvent.click(screen.getByRole("button", { name: "Fundwright auf Deutsch anzeigen" }));
    expect(document.cookie).toContain("language=de");
    expect(reload).toHaveBeenCalledOnce();
  });

  it("goes away when it is dismissed", async () => {
    await show("de");
    fireEvent.click(screen.getByRole("button", { name: "Englisch behalten" }));
    expect(screen.queryByRole("complementary")).toBeNull();
  });

  it("never comes back once it was shown, whether or not it was answered", async () => {
    await show("de");
    expect(document.cookie).toContain("language=en");
    cleanup();
    await show("de");
    expect(screen.queryByRole("complementary")).toBeNull();
  });

  it("keeps no language for those who were offered none", async () => {
    await show("nl");
    expect(document.cookie).not.toContain("language");
  });
});
