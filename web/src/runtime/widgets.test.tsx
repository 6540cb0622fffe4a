import { act, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { openPage } from "../test/openPage";
import type { Page, TreeNode } from "./protocol";
import { changeSettings } from "./settings";
import { WidgetRegistry } from "./widgets";

const CLOCK = `export default ({ React, ReactDOM, theme, t, toast }) => ({
  Clock({ zone, children, footer }) {
    const [hour] = React.useState(12);
    const mode = theme.useMode();
    const h = React.createElement;
    return h("section", { "aria-label": t("Clock") },
      h("button", { onClick: () => toast("Struck", "info") }, hour + " " + zone),
      h("p", null, mode + " " + theme.css("primary") + " " + typeof ReactDOM.createPortal),
      children ?? "nothing", h("footer", null, footer));
  },
});`;

const PANEL = `export default async ({ React, mui }) => {
  const { Button, useTheme } = await mui();
  return { Clock: ({ children }) => React.createElement(Button, { title: useTheme().typography.fontFamily }, children) };
};`;

const script = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`;

function slot(name: string, ...content: TreeNode[]): TreeNode {
  return content.length === 0 ? { f: 1, k: `slot:${name}` } : { f: 1, k: `slot:${name}`, c: content };
}

async function openWith(files: readonly string[], children: readonly TreeNode[], page: Partial<Page> = {}) {
  const widgets = new WidgetRegistry({});
  return openPage({ w: "Clock", a: { zone: "UTC" }, c: children }, { widgets, page: { modules: { Clock: files }, ...page } });
}

it("a widget of another package is rendered by its module, with our React, theme, translations, and toasts", async () => {
  changeSettings({ themeMode: "light" });
  const { runtime } = await openWith([script(CLOCK)], ["11 UTC"], { strings: { Clock: "Uhr" } });
  const button = await screen.findByRole("button", { name: "12 UTC" });
  expect(screen.getByRole("region", { name: "Uhr" }).textContent).toContain("light var(--fw-primary) function");
  act(() => button.click());
  expect(runtime.toasts.get().map((toast) => toast.message)).toEqual(["Struck"]);
});

it("shows the server's nodes in its slots, and their changes", async () => {
  const children = [slot("children", { t: "p", c: ["One"] }), slot("footer", "Two")];
  const page = await openWith([script(CLOCK)], ["Loading", ...children]);
  await screen.findByRole("button", { name: "12 UTC" });
  expect(screen.queryByText("Loading")).toBeNull();
  expect(screen.getByText("Two").tagName).toBe("FOOTER");
  const paragraph = screen.getByText("One");
  await page.patch(["set", [1, 0, 0], "Three"], ["children", [2], []]);
  expect(paragraph.textContent).toBe("Three");
  expect(screen.queryByText("Two")).toBeNull();
});

it("an empty slot is the same as a missing one", async () => {
  await openWith([script(CLOCK)], [slot("children"), slot("footer")]);
  expect((await screen.findByRole("region")).textContent).toContain("nothing");
});

it("the widgets of a module that requests MUI use our theme", async () => {
  await openWith([script(PANEL)], [slot("children", "Press")]);
  const button = await screen.findByRole("button", { name: "Press" }, { timeout: 20_000 });
  expect(button.title).toBe("var(--fw-font)");
});

it("waits for the module's styles, and loads them once", async () => {
  const styles = "/assets/clock-1/clock.css";
  await openWith([script(CLOCK), styles], ["11 UTC"]);
  const link = await vi.waitFor(() => {
    const found = document.querySelector(`link[href="${styles}"]`);
    if (found === null) throw new Error("not yet");
    return found;
  });
  expect(screen.queryByRole("region")).toBeNull();
  act(() => void link.dispatchEvent(new Event("load")));
  expect(await screen.findByRole("region")).toBeTruthy();
  link.remove();
});
