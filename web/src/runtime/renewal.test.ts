import { beforeEach, describe, expect, it, vi } from "vitest";
import { renew } from "./renewal";
import { forgetToken, readToken } from "./session";

const fetched = vi.fn<(url: string, init: RequestInit) => Promise<Response>>();

beforeEach(() => {
  vi.stubGlobal("fetch", fetched);
  fetched.mockReset();
  forgetToken();
});

const answer = (status: number, body: object = {}): Promise<Response> =>
  Promise.resolve(new Response(JSON.stringify(body), { status }));

function made(minutesAgo: number, sid = "one"): string {
  const payload = JSON.stringify({ sid, iat: Math.floor(Date.now() / 1000) - minutesAgo * 60, name: "Zoë?>" });
  const bytes = String.fromCharCode(...new TextEncoder().encode(payload));
  return `head.${btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}.signature`;
}

describe("renew", () => {
  it("requests the successor of an old token with the cookie, and stores it where the old one was", async () => {
    const next = made(0);
    localStorage.setItem("token", made(40));
    fetched.mockReturnValue(answer(200, { token: next, remember: true }));
    await renew("/app");
    expect(fetched.mock.calls[0]?.[0]).toBe("/app/session");
    expect(fetched.mock.calls[0]?.[1].body).toBe("{}");
    expect(localStorage.getItem("token")).toBe(next);
  });

  it.each([
    ["is young", made(5)],
    ["is none of ours", "good"],
  ])("leaves a token that %s alone", async (_why, token) => {
    localStorage.setItem("token", token);
    await renew("");
    expect(fetched).not.toHaveBeenCalled();
  });

  it("does not store the token of another session", async () => {
    const token = made(40);
    localStorage.setItem("token", token);
    fetched.mockReturnValue(answer(200, { token: made(0, "two"), remember: true }));
    await renew("");
    expect(readToken()).toBe(token);
  });

  it("does not restore a token that was deleted in the meantime", async () => {
    localStorage.setItem("token", made(40));
    fetched.mockImplementation(() => {
      forgetToken();
      return answer(200, { token: made(0), remember: true });
    });
    await renew("");
    expect(readToken()).toBeNull();
  });

  it("retries later if the server is unavailable or refuses", async () => {
    const token = made(40);
    localStorage.setItem("token", token);
    fetched.mockReturnValue(answer(401));
    await renew("");
    fetched.mockRejectedValue(new TypeError("down"));
    await renew("");
    expect(readToken()).toBe(token);
  });
});
