/** Where the drafts of forms lie in the browser's storage: by account and by what the server calls the form. */

const PREFIX = "draft:";

export const draftKey = (account: string, form: string): string => `${PREFIX}${account}:${form}`;

export const draftKeys = (): string[] => Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));

/** All of them, or all but those of one account: nobody finds the texts of somebody else. */
export function forgetDrafts(but?: string): void {
  for (const key of draftKeys()) if (but === undefined || !key.startsWith(draftKey(but, ""))) localStorage.removeItem(key);
}
