import { fireEvent, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { areShortcutsOn, DEFAULT_SETTINGS, followSettings } from "../../runtime/settings";
import { renderWidget } from "../../test/renderWidget";
import { SettingsDrawer } from "./SettingsDrawer";

const onLanguage = vi.fn();

beforeEach(followSettings);

async function openDrawer(): Promise<void> {
  const languages = [{ code: "en", label: "English" }, { code: "de", label: "Deutsch" }] as const;
  await renderWidget(<SettingsDrawer language="en" languages={languages} onLanguage={onLanguage} />);
  fireEvent.click(screen.getByRole("button", { name: "Settings" }));
  await screen.findByRole("dialog", { name: "Settings" });
}

function stored(): unknown {
  return JSON.parse(localStorage.getItem("settings") ?? "null");
}

describe("SettingsDrawer", () => {
  const root = document.documentElement;

  it("changes mode, color, and width immediately and saves them", async () => {
    await openDrawer();
    fireEvent.click(screen.getByRole("button", { name: "Dark" }));
    fireEvent.click(screen.getByRole("button", { name: "Purple" }));
    fireEvent.click(screen.getByRole("switch", { name: "Use full width" }));
    expect([root.dataset["mode"], root.dataset["color"], root.hasAttribute("data-stretch")]).toEqual(["dark", "purple", true]);
    expect(stored()).toEqual({ themeMode: "dark", themeColor: "purple", themeDirection: "ltr", themeStretch: true });
  });

  it("names the colors as specified", async () => {
    await openDrawer();
    const names = screen.getAllByRole("button").filter((each) => each.dataset["swatch"] !== undefined).map((each) => each.getAttribute("aria-label"));
    expect(names).toEqual(["Default", "Purple", "Cyan", "Blue", "Orange", "Red"]);
  });

  it("changes the direction", async () => {
    await openDrawer();
    fireEvent.click(screen.getByRole("button", { name: "Right to left" }));
    expect(root.dir).toBe("rtl");
    expect(await screen.findByRole("dialog", { name: "Settings" })).toBeTruthy();
  });

  it("sends the chosen language to the server, and saves it for the pages before sign-in", async () => {
    await openDrawer();
    fireEvent.change(screen.getByRole("combobox", { name: "Language" }), { target: { value: "de" } });
    expect(onLanguage).toHaveBeenCalledExactlyOnceWith({ code: "de" });
    expect(document.cookie).toContain("language=de");
  });

  it("turns off single-key shortcuts", async () => {
    await openDrawer();
    const shortcuts = screen.getByRole("switch", { name: "Single-key shortcuts" });
    fireEvent.click(shortcuts);
    expect(areShortcutsOn()).toBe(false);
    fireEvent.click(shortcuts);
    expect(areShortcutsOn()).toBe(true);
  });

  it("follows changes in another tab", async () => {
    await openDrawer();
    const newValue = JSON.stringify({ ...DEFAULT_SETTINGS, themeColor: "red" });
    dispatchEvent(new StorageEvent("storage", { storageArea: localStorage, key: "settings", newValue }));
    expect(root.dataset["color"]).toBe("red");
  });
});
