import type { Language } from "../../generated/widgets";

const YEAR_S = 31_536_000;

/** For the pages before signing in; the server keeps it for the account. */
export function keepLanguage(code: Language["code"], base: string): void {
  document.cookie = `language=${code}; path=${base || "/"}; max-age=${YEAR_S}; samesite=lax`;
}
