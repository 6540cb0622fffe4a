import { ofBrowser, ofTab } from "./storage";

const LEFT = "left-workspace";
const SHARES = "shares-workspaces";
const NAMED = "w";

/**
 * The address of a request or file, in the workspace of the page. Without it, the server would use the account's last used workspace,
 * which another tab may have changed.
 */
export function inWorkspace(account: string | null, address: string): string {
  if (account === null) return address;
  const url = new URL(address, location.href);
  url.searchParams.set(NAMED, workspaceOf(account));
  return url.origin === location.origin ? url.pathname + url.search + url.hash : address;
}

/**
 * The address of a page in the browser's bar. It names the workspace if this person has opened a shared one in this browser: a reload, a new
 * build, and a new sign-in then open the same workspace again, whichever another tab uses.
 */
export function addressOf(account: string | null, address: string): string {
  if (account === null) return address;
  const [person = "", team] = account.split("/");
  if (team !== undefined) ofBrowser.set(SHARES, person);
  return ofBrowser.get(SHARES) === person ? inWorkspace(account, address) : address;
}

/** The query of an address without the workspace, which the server knows. */
export function withoutWorkspace(search: string): string {
  if (!search.includes(`${NAMED}=`)) return search;
  const kept = search.slice(1).split("&").filter((each) => !each.startsWith(`${NAMED}=`));
  return kept.length === 0 ? "" : `?${kept.join("&")}`;
}

/** Whether an address names another workspace than that of the page, so that the browser has to load it. */
export function leavesWorkspace(account: string | null, address: string): boolean {
  const named = new URL(address, location.href).searchParams.get(NAMED);
  return account !== null && named !== null && named !== workspaceOf(account);
}

/** That of a personal workspace is the account. */
function workspaceOf(account: string): string {
  const [person = "", workspace = person] = account.split("/");
  return workspace;
}

/** Whether two identities, each an account and its workspace, are of the same person. */
export function isSamePerson(one: string | null, other: string | null): boolean {
  return one?.split("/")[0] === other?.split("/")[0];
}

/** Notes whom the page was for when its session ended, before it is loaded again. */
export function noteEnd(account: string | null): void {
  if (account?.includes("/")) ofTab.set(LEFT, account);
}

/** Whether the page that was loaded again is in another workspace of the same person, who is no longer a member of the former one. */
export function takeLostWorkspace(account: string | null): boolean {
  const left = ofTab.get(LEFT);
  ofTab.remove(LEFT); // also by the sign-in page: whoever signs in again opens the last used workspace
  return left !== null && left !== account && isSamePerson(left, account);
}
