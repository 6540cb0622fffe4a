/** Stores drafts of forms by account and by the form's name on the server: in the browser's storage, or in memory if they do not fit there. */

import { ofBrowser } from "./storage";

const PREFIX = "draft:";

/** Drafts for which the browser's storage has no space. */
export const inMemory = new Map<string, string>();

/** Visitors have no account. */
export const draftKey = (account: string | null, form: string): string => `${PREFIX}${account ?? ""}:${form}`;

export const draftKeys = (): string[] => ofBrowser.keys().filter((key) => key.startsWith(PREFIX));

/** The identity and the form of each draft in the browser's storage. */
export function draftOwners(): { account: string; form: string }[] {
  return draftKeys().map((key) => {
    const [account = "", ...form] = key.slice(PREFIX.length).split(":");
    return { account, form: form.join(":") };
  });
}

/** The drafts in memory and in storage: another tab may have stored a draft while there was no space for this tab's. */
export const draftTexts = (key: string): string[] => [inMemory.get(key), ofBrowser.get(key)].filter((text) => text != null);

/** Keeps a draft in memory only while the document is open. The browser then asks before it leaves the document. */
export function keepInMemory(key: string, text: string): void {
  inMemory.set(key, text);
  addEventListener("beforeunload", askBeforeLeaving);
}

export function forgetInMemory(key: string): void {
  inMemory.delete(key);
  if (inMemory.size === 0) removeEventListener("beforeunload", askBeforeLeaving);
}

export function forgetDraft(key: string): void {
  forgetInMemory(key);
  ofBrowser.remove(key);
}

/** Deletes all drafts of one account, in all of its workspaces. */
export function forgetDrafts(account: string | null): void {
  const [id] = (account ?? "").split("/");
  for (const key of [...inMemory.keys(), ...draftKeys()]) {
    if (key.startsWith(`${PREFIX}${id}:`) || key.startsWith(`${PREFIX}${id}/`)) forgetDraft(key);
  }
}

function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
