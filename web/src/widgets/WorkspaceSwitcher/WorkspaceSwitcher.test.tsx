import { fireEvent, screen, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import type { WorkspaceMenu } from "../../generated/widgets";
import { renderWidget } from "../../test/renderWidget";
import { WorkspaceSwitcher } from "./WorkspaceSwitcher";

const choice = (id: string, isCurrent = false) => ({ id, name: `Team ${id}`, role: "Editor", isCurrent });
const few: WorkspaceMenu = {
  choices: [choice("1"), choice("2", true)],
  links: [{ label: "New workspace", href: "/dashboard/workspace?open=new" }],
  searchLabel: "",
  nothing: "No workspaces match.",
  support: [],
  supportLabel: "Support access",
};
const many: WorkspaceMenu = { ...few, choices: Array.from({ length: 8 }, (_, place) => choice(`${place + 1}`)), searchLabel: "Search workspaces" };

const open = async (menu: WorkspaceMenu | null, onChoose = vi.fn(), onOpen = vi.fn()) => {
  await renderWidget(<WorkspaceSwitcher label="Workspace" name="Team 2" menu={menu} onOpen={onOpen} onChoose={onChoose} />);
  fireEvent.click(screen.getByRole("button", { name: "Workspace: Team 2" }));
};

describe("WorkspaceSwitcher", () => {
  it("loads its menu when it opens", async () => {
    const onOpen = vi.fn();
    await open(null, vi.fn(), onOpen);
    expect(onOpen).toHaveBeenCalledOnce();
    expect(screen.queryByRole("menu")).toBeNull();
  });

  it("marks the current workspace, and chooses another one", async () => {
    const onChoose = vi.fn();
    await open(few, onChoose);
    const menu = await screen.findByRole("menu", { name: "Workspace" });
    expect(within(menu).getByRole("menuitemradio", { checked: true }).textContent).toContain("Team 2");
    expect(within(menu).getByRole("menuitem", { name: "New workspace" }).getAttribute("href")).toBe("/dashboard/workspace?open=new");
    expect(screen.queryByRole("searchbox")).toBeNull();
    fireEvent.click(within(menu).getByRole("menuitemradio", { name: /Team 1/ }));
    expect(onChoose).toHaveBeenCalledExactlyOnceWith({ id: "1" });
  });

  it("lists workspaces with support access separately", async () => {
    const onChoose = vi.fn();
    await open({ ...few, support: [{ id: "9", name: "Harbor", role: "Viewer", isCurrent: false }] }, onChoose);
    const menu = await screen.findByRole("menu", { name: "Workspace" });
    expect(within(menu).getByText("Support access")).toBeTruthy();
    fireEvent.click(within(menu).getByRole("menuitemradio", { name: /Harbor/ }));
    expect(onChoose).toHaveBeenCalledExactlyOnceWith({ id: "9" });
  });

  it("finds one of many, with the keyboard alone", async () => {
    const onChoose = vi.fn();
    await open(many, onChoose);
    const search = await screen.findByRole("searchbox", { name: "Search workspaces" });
    expect(document.activeElement).toBe(search);
    fireEvent.change(search, { target: { value: "nowhere" } });
    expect(screen.getByText("No workspaces match.")).toBeTruthy();
    fireEvent.change(search, { target: { value: "team 7" } });
    expect(screen.getAllByRole("menuitemradio").length).toBe(1);
    fireEvent.keyDown(search, { key: "ArrowDown" });
    expect(document.activeElement).toBe(screen.getByRole("menuitemradio"));
    fireEvent.keyDown(search, { key: "Enter" });
    expect(onChoose).toHaveBeenCalledExactlyOnceWith({ id: "7" });
  });
});
