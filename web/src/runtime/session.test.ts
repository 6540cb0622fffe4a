import { beforeEach, describe, expect, it, vi } from "vitest";
import { followOtherTabs, forgetToken, goTo, keepToken, readToken, signInWithToken, exchangeCode } from "./session";

const assign = vi.fn();
const reload = vi.fn();
const fetched = vi.fn<(url: string, init: RequestInit) => Promise<Response>>();

beforeEach(() => {
  vi.stubGlobal("fetch", fetched);
  vi.stubGlobal("location", { pathname: "/dashboard/train", assign, reload });
  for (const mock of [assign, reload, fetched]) mock.mockReset();
});

const answer = (status: number, body: object = {}): Promise<Response> =>
  Promise.resolve(new Response(JSON.stringify(body), { status }));

describe("signInWithToken", () => {
  beforeEach(() => localStorage.setItem("token", "good"));

  it("posts the token and reloads the page", async () => {
    fetched.mockReturnValue(answer(200));
    await signInWithToken("/app", false);
    expect(fetched.mock.calls[0]?.[0]).toBe("/app/session");
    expect(fetched.mock.calls[0]?.[1].body).toBe('{"token":"good"}');
    expect(reload).toHaveBeenCalledOnce();
  });

  it("stores the token that replaces an old one", async () => {
    fetched.mockReturnValue(answer(200, { token: "newer", remember: true }));
    await signInWithToken("", false);
    expect(readToken()).toBe("newer");
    await signInWithToken("", false);
    expect(fetched).toHaveBeenCalledOnce();
  });

  it("opens the page that the server names", async () => {
    fetched.mockReturnValue(answer(200, { next: "/generate/index" }));
    await signInWithToken("", false);
    expect(assign).toHaveBeenCalledWith("/generate/index");
  });

  it("deletes a token that is refused and opens the login page", async () => {
    fetched.mockReturnValue(answer(401));
    await signInWithToken("/app", false);
    expect(readToken()).toBeNull();
    expect(assign).toHaveBeenCalledWith("/app/auth/login");
  });

  it.each(["/app/auth/login", "/app/feedback", "/app/auth/first-admin/secret"])("stays at %s, which needs no session", async (pathname) => {
    vi.stubGlobal("location", { pathname, assign, reload });
    fetched.mockReturnValue(answer(401));
    await signInWithToken("/app", false);
    expect(readToken()).toBeNull();
    expect(assign).not.toHaveBeenCalled();
  });

  it("keeps a token that replaced the refused one while the answer was on its way", async () => {
    fetched.mockImplementation(() => {
      keepToken("newer", true);
      return answer(401);
    });
    expect(await signInWithToken("/app", false)).toBe(false);
    expect(readToken()).toBe("newer");
    expect(assign).not.toHaveBeenCalled();
  });

  it("keeps the token when the server is down", async () => {
    fetched.mockRejectedValue(new TypeError("down"));
    await signInWithToken("", false);
    fetched.mockReturnValue(answer(503));
    await signInWithToken("", false);
    expect(readToken()).toBe("good");
    expect(assign).not.toHaveBeenCalled();
  });

  it("does nothing on a signed-in page or without a token", async () => {
    await signInWithToken("", true);
    forgetToken();
    await signInWithToken("", false);
    expect(fetched).not.toHaveBeenCalled();
  });

  it("does not reload the page forever when the cookie is dropped", async () => {
    fetched.mockReturnValue(answer(200));
    await signInWithToken("", false);
    await signInWithToken("", false);
    expect(fetched).toHaveBeenCalledOnce();
    expect(readToken()).toBeNull();
  });
});

describe("followOtherTabs", () => {
  const token = (sid: string): string => `head.${btoa(JSON.stringify({ sid }))}.signature`;
  const change = (oldValue: string | null, newValue: string | null): boolean =>
    dispatchEvent(new StorageEvent("storage", { key: "token", oldValue, newValue, storageArea: localStorage }));

  it("reloads the page when another tab signs in or out, not when the token is renewed", () => {
    const beforeLeaving = vi.fn();
    followOtherTabs(beforeLeaving);
    change(token("one"), token("one"));
    expect(reload).not.toHaveBeenCalled();
    change(token("one"), token("two"));
    change(token("two"), null);
    expect(reload).toHaveBeenCalledTimes(2);
    expect(beforeLeaving).toHaveBeenCalledTimes(2);
  });
});

describe("exchangeCode", () => {
  it("keeps the token permanently, or in this tab if it should not be remembered", async () => {
    fetched.mockImplementation(() => answer(200, { token: "new" }));
    await exchangeCode("", "code", "/", true);
    expect([localStorage.getItem("token"), sessionStorage.getItem("token")]).toEqual(["new", null]);
    forgetToken();
    await exchangeCode("", "code", "/", false);
    expect([localStorage.getItem("token"), sessionStorage.getItem("token")]).toEqual([null, "new"]);
    expect(assign).toHaveBeenLastCalledWith("/");
  });

  it.each([
    ["Sign in again.", () => answer(400, { error: { message: "Sign in again." } })],
    ["", () => answer(502)],
    ["", () => Promise.reject(new TypeError("Failed to fetch"))],
  ])("reports why it failed: %s", async (sentence, respond) => {
    fetched.mockImplementation(respond);
    expect(await exchangeCode("", "code", "/", true)).toBe(sentence);
    expect(assign).not.toHaveBeenCalled();
  });
});

describe("goTo", () => {
  it("loads one of our paths behind the prefix, also from the login page", () => {
    vi.stubGlobal("location", { pathname: "/app/auth/login", assign });
    goTo("/app", "/");
    expect(assign).toHaveBeenCalledWith("/app/");
  });
});
