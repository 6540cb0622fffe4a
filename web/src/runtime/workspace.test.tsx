import { act, fireEvent, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openPage } from "../test/openPage";
import { addressOf, inWorkspace, isSamePerson, leavesWorkspace, noteEnd, takeLostWorkspace, withoutWorkspace } from "./workspace";

describe("inWorkspace", () => {
  it("names the workspace of the page, which for a personal one is the account", () => {
    expect(inWorkspace("ada/team", "/app/api/drafts/1?form=docx")).toBe("/app/api/drafts/1?form=docx&w=team");
    expect(inWorkspace("ada", "/api/drafts/1?w=other")).toBe("/api/drafts/1?w=ada");
    expect(inWorkspace(null, "/api/drafts/1")).toBe("/api/drafts/1");
    expect(inWorkspace("ada", "https://example.org/api/1")).toBe("https://example.org/api/1");
  });
});

describe("addressOf", () => {
  it("names workspaces from the first shared one on that the person opens in this browser", () => {
    localStorage.clear();
    expect(addressOf(null, "/train")).toBe("/train");
    expect(addressOf("ada", "/train")).toBe("/train");
    expect(addressOf("ada/team", "/train?sort=title#tips")).toBe("/train?sort=title&w=team#tips");
    expect(addressOf("ada", "/train")).toBe("/train?w=ada");
    expect(addressOf("bob", "/train")).toBe("/train");
    localStorage.clear();
  });
});

describe("withoutWorkspace", () => {
  it.each([
    ["", ""],
    ["?w=team", ""],
    ["?w=team&q=a%20b", "?q=a%20b"],
    ["?q=w=&w=team", "?q=w="],
    ["?raw=1", "?raw=1"],
  ])("of %s is %s", (search, kept) => {
    expect(withoutWorkspace(search)).toBe(kept);
  });
});

describe("leavesWorkspace", () => {
  it.each([
    ["ada/team", "/train?w=ada", true],
    ["ada/team", "/train?w=team", false],
    ["ada", "/train?w=ada", false],
    ["ada/team", "/train", false],
    [null, "/train?w=team", false],
  ])("of %s by %s is %s", (account, address, leaves) => {
    expect(leavesWorkspace(account, address)).toBe(leaves);
  });
});

describe("the address of a page in a shared workspace", () => {
  const link = { t: "a", a: { href: "/drafts?sort=title" }, c: ["Drafts"] };

  afterEach(() => {
    localStorage.clear();
    globalThis.history.replaceState(null, "", "/");
    vi.unstubAllGlobals();
  });

  it("names the workspace, also after a link, and the server is told without it", async () => {
    const page = await openPage(link, { page: { account: "ada/team" } });
    expect(location.search).toBe("?w=team");
    fireEvent.click(screen.getByText("Drafts"));
    expect(location.pathname + location.search).toBe("/drafts?sort=title&w=team");
    expect(page.sent().at(-1)).toMatchObject({ type: "location", path: "/drafts?sort=title" });
  });

  it("leads to another workspace that a link names", async () => {
    await openPage({ ...link, a: { href: "/drafts?w=ada" } }, { page: { account: "ada/team" } });
    const assign = vi.fn();
    vi.stubGlobal("location", { pathname: "/", search: "", origin: location.origin, host: location.host, href: location.href, assign });
    fireEvent.click(screen.getByText("Drafts"));
    expect(assign).toHaveBeenCalledExactlyOnceWith("/drafts?w=ada");
  });

  it("is loaded without the workspace once the person is no longer a member", async () => {
    const page = await openPage(link, { page: { account: "ada/team" } });
    const [reload, replace] = [vi.fn(), vi.fn()];
    vi.stubGlobal("location", { pathname: "/train", search: "?w=team&q=x", origin: location.origin, host: location.host, href: location.href, reload, replace });
    vi.stubGlobal("fetch", vi.fn(() => Promise.resolve(new Response(null, { status: 404 }))));
    await act(async () => page.socket().close(4401));
    expect(replace).toHaveBeenCalledExactlyOnceWith("/train?q=x");
    expect(reload).not.toHaveBeenCalled();
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
  it("shows nothing more while a handler still runs", async () => {
    const page = await openPage({ t: "p", c: ["Of the team"] }, { page: { account: "ada/team" } });
    await page.receive({ type: "ended" });
    expect(document.body.hidden).toBe(true);
  });

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

describe("a page that was opened in another workspace", () => {
  it("says so for a moment", async () => {
    await openPage({ t: "p", c: ["Draft"] }, { page: { account: "ada/team", notice: "You are now in the workspace “Harbor”." } });
    expect(await screen.findByText("You are now in the workspace “Harbor”.")).toBeTruthy();
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
