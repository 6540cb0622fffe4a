/** Rotates the token of a long session from time to time, so that a stolen copy becomes useless. */

import { claimsOf, keepToken, postSession, readToken, type SessionAnswer } from "./session";

const LOOK_EVERY_MS = 60_000;
const RENEW_AFTER_MS = 31 * 60_000; // a little after the server begins to answer with a new one

export function keepRenewing(base: string): void {
  void renew(base);
  setInterval(() => void renew(base), LOOK_EVERY_MS);
}

export async function renew(base: string): Promise<void> {
  const token = readToken();
  const { iat, sid } = claimsOf(token);
  if (iat === undefined || Date.now() - iat * 1000 < RENEW_AFTER_MS) return;
  try {
    // By the cookie, which all tabs share: what this tab has kept may be older.
    const answer = await postSession(base, {});
    if (!answer.ok) return; // The socket tells when the session has ended.
    const { token: next, remember } = (await answer.json()) as SessionAnswer;
    // Meanwhile somebody may have signed out or in.
    if (next !== undefined && readToken() === token && claimsOf(next).sid === sid) keepToken(next, remember ?? false);
  } catch {
    // The server cannot be reached: the next look is soon enough.
  }
}
