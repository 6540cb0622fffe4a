/** Renews the token of a long session regularly, so that a stolen copy becomes useless. */

import { claimsOf, keepToken, postSession, readToken, type SessionAnswer } from "./session";

const CHECK_INTERVAL_MS = 60_000;
const RENEW_AFTER_MS = 31 * 60_000; // a little later than the age at which the server issues a new token

export function keepRenewing(base: string): void {
  void renew(base);
  setInterval(() => void renew(base), CHECK_INTERVAL_MS);
}

export async function renew(base: string): Promise<void> {
  const token = readToken();
  const { iat, sid } = claimsOf(token);
  if (iat === undefined || Date.now() - iat * 1000 < RENEW_AFTER_MS) return;
  try {
    // Uses the cookie, which all tabs share: this tab's token may be older.
    const answer = await postSession(base, {});
    if (!answer.ok) return; // If the session has ended, the socket reports it.
    const { token: next, remember } = (await answer.json()) as SessionAnswer;
    // The person may have signed out or in since then.
    if (next !== undefined && readToken() === token && claimsOf(next).sid === sid) keepToken(next, remember ?? false);
  } catch {
    // The server cannot be reached: the next attempt is soon enough.
  }
}
