import type { Language } from "../../generated/widgets";

const YEAR_S = 31_536_000;

/** Whether a language was chosen in this browser. */
export const isLanguageKept = (): boolean => document.cookie.split("; ").some((cookie) => cookie.startsWith("language="));

/** Stores the language for pages before sign-in. The server stores it for the account. */
export function keepLanguage(code: Language["code"], base: string): void {
  document.cookie = `language=${code}; path=${base || "/"}; max-age=${YEAR_S}; samesite=lax`;
}
