/** The token in browser storage and the session cookie beside it. */

import { ofBrowser, ofTab } from "./storage";

const KEY = "token";
const ATTEMPTED = "token-tried";
const FIRST_CHECK_MS = 60_000;
const LOGIN = "/auth/login";
const FEEDBACK = "/feedback";

export interface SessionAnswer {
  readonly token?: string;
  readonly remember?: boolean;
  readonly next?: string;
}

interface Refusal {
  readonly error?: { readonly message?: string };
}

export function readToken(): string | null {
  return ofBrowser.get(KEY) ?? ofTab.get(KEY);
}

export function forgetToken(): void {
  ofBrowser.remove(KEY);
  ofTab.remove(KEY);
  ofTab.remove(ATTEMPTED);
}

export function keepToken(token: string, remember: boolean): void {
  (remember ? ofBrowser : ofTab).set(KEY, token);
}

/** The claims of a token; empty if it is not one of ours. */
export function claimsOf(token: string | null): { readonly sid?: string; readonly iat?: number } {
  try {
    const payload = (token ?? "").split(".")[1] ?? "";
    return JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/"))) as object;
  } catch {
    return {};
  }
}

/** With neither a token nor a code, the session of the cookie continues. */
export function postSession(base: string, body: { token?: string; code?: string }): Promise<Response> {
  return fetch(`${base}/session`, {
    method: "POST",
    credentials: "same-origin",
    headers: { "Content-Type": "application/json", "X-Requested-With": "fundwright" },
    body: JSON.stringify(body),
  });
}

/** Loads one of our own paths, after signing out. */
export function goTo(base: string, path: string): void {
  location.assign(base + path);
}

/**
 * Loads the login page unless its screen is already shown, or the page is a link from an email or from the first start, which works without a
 * session. Returns whether it is being loaded.
 */
function goToLogin(base: string): boolean {
  if (location.pathname === base + FEEDBACK || location.pathname.startsWith(`${base}/auth/`)) return false;
  location.assign(base + LOGIN);
  return true;
}

/**
 * Signs in with the token if the page was opened without a session cookie. A token that is refused is deleted.
 * Returns whether another page is being loaded.
 */
export async function signInWithToken(base: string, isSignedIn: boolean): Promise<boolean> {
  const token = readToken();
  if (isSignedIn || token === null) {
    ofTab.remove(ATTEMPTED);
    return false;
  }
  // Otherwise, a browser that drops the cookie would reload the page forever.
  if (ofTab.get(ATTEMPTED) === token) {
    return giveUp(base);
  }
  let answer: Response;
  try {
    answer = await postSession(base, { token });
  } catch {
    return false; // The server cannot be reached, so the token may still be valid.
  }
  if (answer.ok) {
    const { next, token: kept = token, remember } = (await answer.json().catch(() => ({}))) as SessionAnswer;
    if (kept !== token) keepToken(kept, remember ?? false);
    if (!ofTab.set(ATTEMPTED, kept)) return false;
    if (next === undefined) location.reload();
    else location.assign(base + next);
    return true;
  }
  const isRefused = answer.status < 500 && answer.status !== 429;
  // While the answer was on its way, the person may have signed in here or in another tab.
  return isRefused && readToken() === token ? giveUp(base) : false;
}

function giveUp(base: string): boolean {
  forgetToken();
  return goToLogin(base);
}

/**
 * Exchanges the one-time code of a sign-in over the socket for the cookie and the token. Resolves to null, or to the server's sentence
 * about a failure, which is empty if it gave none.
 */
export async function exchangeCode(base: string, code: string, next: string, remember: boolean): Promise<string | null> {
  try {
    const answer = await postSession(base, { code });
    if (!answer.ok) return ((await answer.json()) as Refusal).error?.message ?? "";
    const body = (await answer.json()) as SessionAnswer;
    if (body.token !== undefined) keepToken(body.token, body.remember ?? remember);
    location.assign(base + next);
    return null;
  } catch {
    return "";
  }
}

/** Starts to renew the token after a delay, so that it does not compete with the first paint. */
export function renewTokenInTime(base: string): void {
  setTimeout(() => void import("./renewal").then(({ keepRenewing }) => keepRenewing(base)), FIRST_CHECK_MS);
}

/** Reloads this tab when another tab signs in or out, but not when it renews the token. */
export function followOtherTabs(beforeLeaving: () => void): void {
  addEventListener("storage", (event) => {
    if (event.key === KEY && event.storageArea === localStorage) {
      const { sid } = claimsOf(event.newValue);
      if (sid !== undefined && sid === claimsOf(event.oldValue).sid) return;
      beforeLeaving();
      location.reload();
    }
  });
}
