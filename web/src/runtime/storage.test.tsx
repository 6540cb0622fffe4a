import { fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openPage } from "../test/openPage";
import type { TreeNode } from "./protocol";

const form: TreeNode = { t: "form", a: { "data-draft": "/new#Post" }, c: [{ t: "textarea", a: { "aria-label": "Text", name: "text" } }] };

function refuse(): never {
  throw new DOMException("The operation is insecure.", "SecurityError");
}

describe("a browser that refuses access to its storage", () => {
  beforeEach(() => {
    for (const area of ["localStorage", "sessionStorage"] as const) vi.spyOn(window, area, "get").mockImplementation(refuse);
  });

  afterEach(() => vi.restoreAllMocks());

  it("shows the page, keeps drafts in memory, and can sign out", async () => {
    const { pathname, search, hash, origin, href } = location;
    const assign = vi.fn();
    vi.stubGlobal("location", { pathname, search, hash, origin, href, assign });
    const opened = await openPage(form, { page: { account: "ada" } });
    fireEvent.change(screen.getByLabelText("Text"), { target: { value: "A long story" } });
    await opened.patch(["set", [], { t: "p", c: ["Elsewhere"] }]);
    await opened.patch(["set", [], form]);
    expect(await screen.findByRole("button", { name: "Restore" })).toBeTruthy();
    await opened.receive({ type: "signed_out", next: "/" });
    expect(assign).toHaveBeenCalledOnce();
  });

  it("has the default settings", async () => {
    vi.resetModules();
    const { DEFAULT_SETTINGS, changeSettings, settings } = await import("./settings");
    expect(settings.get()).toEqual(DEFAULT_SETTINGS);
    changeSettings({ themeMode: "dark" });
    expect(settings.get().themeMode).toBe("dark");
  });
});
