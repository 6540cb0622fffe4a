/** Keys of form drafts in the browser's storage: by account and by the form's name on the server. */

const PREFIX = "draft:";

export const draftKey = (account: string, form: string): string => `${PREFIX}${account}:${form}`;

export const draftKeys = (): string[] => Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));

/** Deletes all drafts, or all except those of one account, so that nobody sees the texts of somebody else. */
export function forgetDrafts(but?: string): void {
  for (const key of draftKeys()) if (but === undefined || !key.startsWith(draftKey(but, ""))) localStorage.removeItem(key);
}
