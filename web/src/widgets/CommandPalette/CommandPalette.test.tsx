import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Command, CommandPaletteProps } from "../../generated/widgets";
import { Runtime, RuntimeContext } from "../../runtime/Runtime";
import { settings, settingsAreOpen, switchShortcuts } from "../../runtime/settings";
import { CommandPalette } from "./CommandPalette";

const handlers = { onSearch: vi.fn(), onCommand: vi.fn(), onLanguage: vi.fn(), onClose: vi.fn() };
const shortcuts = [{ key: "o", label: "Opportunities", path: "/dashboard/nih" }];

function command(label: string, does: Partial<Command> = {}): Command {
  return { id: label, label, detail: "", path: "", mode: null, language: null, act: null, ...does };
}

const groups = [
  { label: "Pages", commands: [command("Train", { path: "/dashboard/train" }), command("Category", { path: "/dashboard/category" })] },
  { label: "Actions", commands: [command("Dark mode", { mode: "dark" }), command("Logout", { act: "logout" })] },
];

interface Shown {
  readonly go: ReturnType<typeof vi.fn>;
  readonly answer: (words: string, found?: CommandPaletteProps["groups"]) => void;
}

async function show(): Promise<Shown> {
  const page = { tree: "", hash: "", complete: true, title: "", path: "/", base: "", nonce: "n", account: null, language: "en", timeZone: null, notice: null, strings: {}, modules: {}, build: "b" };
  const runtime = new Runtime(page);
  const go = vi.fn();
  runtime.bindMove(go);
  const palette = (answer: Partial<CommandPaletteProps>) => (
    <RuntimeContext value={runtime}>
      <button type="button">Before</button>
      <main>
        <input type="search" aria-label="Search" />
        <CommandPalette shortcuts={shortcuts} words={null} groups={[]} summary="" {...handlers} {...answer} />
      </main>
    </RuntimeContext>
  );
  const { rerender } = render(palette({}));
  const answer: Shown["answer"] = (words, found = groups) => rerender(palette({ words, groups: found, summary: "4 found" }));
  await act(async () => undefined);
  return { go, answer };
}

function press(key: string, more: KeyboardEventInit = {}, target: Element = document.body): boolean {
  return fireEvent.keyDown(target, { key, ...more });
}

async function open(): Promise<HTMLElement> {
  press("k", { ctrlKey: true });
  return screen.findByRole("combobox", { name: "Search everything" });
}

const chosen = (): string | null => screen.getByRole("option", { selected: true }).textContent;

beforeEach(() => {
  for (const handler of Object.values(handlers)) handler.mockClear();
});

describe("CommandPalette", () => {
  it.each([{ ctrlKey: true }, { metaKey: true }])("opens with Ctrl or ⌘ K, also in a field: %o", async (key) => {
    await show();
    expect(press("k", key, screen.getByRole("searchbox"))).toBe(false);
    const field = await screen.findByRole("combobox");
    await waitFor(() => expect(document.activeElement).toBe(field));
    await waitFor(() => expect(handlers.onSearch).toHaveBeenCalledWith({ words: "" }));
  });

  it("opens with its button", async () => {
    await show();
    fireEvent.click(screen.getByRole("button", { name: "Search everything" }));
    expect(await screen.findByRole("dialog", { name: "Search everything" })).toBeTruthy();
  });

  it("queries the server after a pause in typing", async () => {
    await show();
    const field = await open();
    await waitFor(() => expect(handlers.onSearch).toHaveBeenCalledTimes(1));
    for (const value of ["t", "tr", "tra "]) fireEvent.change(field, { target: { value } });
    await waitFor(() => expect(handlers.onSearch).toHaveBeenCalledTimes(2));
    expect(handlers.onSearch).toHaveBeenLastCalledWith({ words: "tra" });
  });

  it("selects with the arrow keys while the focus stays in the field, and opens with Enter", async () => {
    const { go, answer } = await show();
    const field = await open();
    answer("");
    expect(chosen()).toBe("Train");
    press("ArrowDown", {}, field);
    expect(chosen()).toBe("Category");
    expect(field.getAttribute("aria-activedescendant")).toBe(screen.getByRole("option", { selected: true }).id);
    press("ArrowUp", {}, field);
    press("ArrowUp", {}, field);
    expect(chosen()).toBe("Logout");
    press("ArrowDown", {}, field);
    press("Enter", {}, field);
    expect(go).toHaveBeenCalledWith({ path: "/dashboard/train", replace: false, isFollowing: false });
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(handlers.onClose).toHaveBeenCalled();
  });

  it("runs Enter only after the response for the typed text", async () => {
    const { go, answer } = await show();
    const field = await open();
    answer("");
    fireEvent.change(field, { target: { value: "cat" } });
    press("Enter", {}, field);
    expect(go).not.toHaveBeenCalled();
    answer("cat", [{ label: "Pages", commands: [command("Category", { path: "/dashboard/category" })] }]);
    expect(go).toHaveBeenCalledWith({ path: "/dashboard/category", replace: false, isFollowing: false });
  });

  it("runs browser actions itself, and sends the others to the server", async () => {
    const { answer } = await show();
    await open();
    answer("");
    fireEvent.click(screen.getByRole("option", { name: "Dark mode" }));
    expect(settings.get().themeMode).toBe("dark");
    await open();
    answer("");
    fireEvent.click(screen.getByRole("option", { name: "Logout" }));
    expect(handlers.onCommand).toHaveBeenCalledExactlyOnceWith({ act: "logout" });
    await open();
    answer("", [{ label: "Actions", commands: [command("Deutsch", { language: "de" }), command("Settings", { act: "settings" })] }]);
    fireEvent.click(screen.getByRole("option", { name: "Deutsch" }));
    expect(handlers.onLanguage).toHaveBeenCalledExactlyOnceWith({ code: "de" });
    await open();
    fireEvent.click(screen.getByRole("option", { name: "Settings" }));
    expect(settingsAreOpen.get()).toBe(true);
  });

  it("closes with Escape and with a click outside of it", async () => {
    await show();
    await open();
    fireEvent(screen.getByRole("dialog"), new Event("cancel"));
    expect(screen.queryByRole("dialog")).toBeNull();
    await open();
    fireEvent.pointerDown(screen.getByRole("combobox"));
    expect(screen.getByRole("dialog")).toBeTruthy();
    fireEvent.pointerDown(screen.getByRole("dialog"));
    expect(screen.queryByRole("dialog")).toBeNull();
  });
});

describe("the keys", () => {
  it("g and a letter open a page", async () => {
    const { go } = await show();
    press("o");
    expect(go).not.toHaveBeenCalled();
    press("g");
    press("o");
    expect(go).toHaveBeenCalledExactlyOnceWith({ path: "/dashboard/nih", replace: false, isFollowing: false });
  });

  it("/ focuses the search field of the page", async () => {
    await show();
    expect(press("/")).toBe(false);
    expect(document.activeElement).toBe(screen.getByRole("searchbox"));
  });

  it("? lists them", async () => {
    await show();
    press("?");
    expect((await screen.findByRole("dialog", { name: "Keyboard shortcuts" })).textContent).toContain("Opportunities");
  });

  it("do nothing while a field has the focus", async () => {
    const { go } = await show();
    const field = screen.getByRole("searchbox");
    for (const key of ["g", "o", "?", "/"]) expect(press(key, {}, field)).toBe(true);
    expect(go).not.toHaveBeenCalled();
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("can be turned off, except Ctrl K", async () => {
    switchShortcuts(false);
    const { go } = await show();
    for (const key of ["g", "o", "?"]) press(key);
    expect(go).not.toHaveBeenCalled();
    expect(screen.queryByRole("dialog")).toBeNull();
    await open();
    expect(screen.getByRole("dialog")).toBeTruthy();
  });
});
