import { act, fireEvent, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { openPage } from "../test/openPage";
import { inWorkspace, isSamePerson, noteEnd, takeLostWorkspace } from "./workspace";

describe("inWorkspace", () => {
  it("names the workspace of the page, which for a personal one is the account", () => {
    expect(inWorkspace("ada/team", "/app/api/drafts/1?form=docx")).toBe("/app/api/drafts/1?form=docx&w=team");
    expect(inWorkspace("ada", "/api/drafts/1?w=other")).toBe("/api/drafts/1?w=ada");
    expect(inWorkspace(null, "/api/drafts/1")).toBe("/api/drafts/1");
    expect(inWorkspace("ada", "https://example.org/api/1")).toBe("https://example.org/api/1");
  });
});

describe("isSamePerson", () => {
  it("ignores the workspace", () => {
    expect(isSamePerson("ada/team", "ada")).toBe(true);
    expect(isSamePerson("ada/team", "bob/team")).toBe(false);
    expect(isSamePerson("ada", null)).toBe(false);
  });
});

describe("a page whose session ends", () => {
  it("shows nothing more while it is loaded again", async () => {
    const reload = vi.fn();
    const page = await openPage({ t: "p", c: ["Of the team"] }, { page: { account: "ada/team" } });
    vi.stubGlobal("location", { pathname: "/", search: "", origin: location.origin, host: location.host, href: location.href, reload });
    await act(async () => page.socket().close(4401));
    expect(reload).toHaveBeenCalledOnce();
    expect(document.body.hidden).toBe(true);
    vi.unstubAllGlobals();
  });
});

describe("a page that was loaded again after its session ended", () => {
  it("says that it is in another workspace", async () => {
    noteEnd("ada/team");
    await openPage({ t: "p", c: ["Train"] }, { page: { account: "ada" } });
    expect(await screen.findByText(/You no longer have access to the workspace that was open here./)).toBeTruthy();
  });

  it.each([
    ["ada/team", "ada/team"],
    ["ada/team", "bob"],
    ["ada", "ada"],
  ])("says nothing after %s for %s", (left, now) => {
    noteEnd(left);
    expect(takeLostWorkspace(now)).toBe(false);
    expect(takeLostWorkspace("ada/team")).toBe(false);
  });

  it("says nothing if the person had to sign in again", () => {
    noteEnd("ada/team");
    expect(takeLostWorkspace(null)).toBe(false);
    expect(takeLostWorkspace("ada")).toBe(false);
  });
});

describe("a link to a file", () => {
  it("keeps the workspace of the page", async () => {
    await openPage({ t: "a", a: { href: "/api/drafts/export.csv?sort=title", download: true }, c: ["Export"] }, { page: { account: "ada/team" } });
    const link = screen.getByText("Export");
    link.addEventListener("click", (event) => event.preventDefault());
    fireEvent.click(link);
    fireEvent(link, new MouseEvent("auxclick", { bubbles: true, button: 1 }));
    expect(link.getAttribute("href")).toMatch(/\/api\/drafts\/export.csv\?sort=title&w=team$/);
  });
});
