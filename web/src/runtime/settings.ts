import { Signal } from "./signal";
import { ofBrowser } from "./storage";

export const THEME_MODES = ["light", "dark", "system"] as const;
export const THEME_COLORS = ["default", "purple", "cyan", "blue", "orange", "red"] as const;

export interface Settings {
  readonly themeMode: (typeof THEME_MODES)[number];
  readonly themeDirection: "ltr" | "rtl";
  readonly themeColor: (typeof THEME_COLORS)[number];
  readonly themeStretch: boolean;
}

const KEY = "settings";

export const DEFAULT_SETTINGS: Settings = {
  themeMode: "light",
  themeDirection: "ltr",
  themeColor: "default",
  themeStretch: false,
};

function parseSettings(text: string | null): Settings {
  let stored: Partial<Record<keyof Settings, unknown>>;
  try {
    stored = (JSON.parse(text ?? "{}") ?? {}) as Partial<Record<keyof Settings, unknown>>;
  } catch {
    return DEFAULT_SETTINGS;
  }
  return {
    themeMode: THEME_MODES.find((mode) => mode === stored.themeMode) ?? DEFAULT_SETTINGS.themeMode,
    themeDirection: stored.themeDirection === "rtl" ? "rtl" : "ltr",
    themeColor: THEME_COLORS.find((color) => color === stored.themeColor) ?? DEFAULT_SETTINGS.themeColor,
    themeStretch: stored.themeStretch === true,
  };
}

const prefersDark = matchMedia("(prefers-color-scheme: dark)");

/** The current settings, the same in every tab. */
export const settings = new Signal<Settings>(parseSettings(ofBrowser.get(KEY)));

export function changeSettings(changes: Partial<Settings>): void {
  const next = { ...settings.get(), ...changes };
  ofBrowser.set(KEY, JSON.stringify(next));
  settings.set(next);
}

/** Whether the drawer that changes them is open. */
export const settingsAreOpen = new Signal(false);

const SHORTCUTS_KEY = "shortcuts";

/** Whether single-key shortcuts are on in this browser. Default: on. */
export function areShortcutsOn(): boolean {
  return ofBrowser.get(SHORTCUTS_KEY) !== "off";
}

export function switchShortcuts(areOn: boolean): void {
  ofBrowser.set(SHORTCUTS_KEY, areOn ? "on" : "off");
}

export function isDark(mode: Settings["themeMode"]): boolean {
  return mode === "dark" || (mode === "system" && prefersDark.matches);
}

function showSettings(): void {
  const { themeMode, themeDirection, themeColor, themeStretch } = settings.get();
  const root = document.documentElement;
  root.dataset["mode"] = isDark(themeMode) ? "dark" : "light";
  root.dataset["color"] = themeColor;
  root.toggleAttribute("data-stretch", themeStretch);
  root.dir = themeDirection;
}

/** Applies the settings to `<html>`, and follows changes in other tabs and of the system's color scheme. */
export function followSettings(): void {
  showSettings();
  settings.subscribe(showSettings);
  prefersDark.addEventListener("change", () => settings.set({ ...settings.get() }));
  addEventListener("storage", (event) => {
    if (event.key === KEY && event.storageArea === localStorage) settings.set(parseSettings(event.newValue));
  });
}
