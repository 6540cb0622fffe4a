import { ofTab } from "./storage";

const LEFT = "left-workspace";

/**
 * The address of a request or file, in the workspace of the page. Without it, the server would use the account's last used workspace,
 * which another tab may have changed.
 */
export function inWorkspace(account: string | null, address: string): string {
  if (account === null) return address;
  const [person, workspace = person ?? ""] = account.split("/");
  const url = new URL(address, location.href);
  url.searchParams.set("w", workspace);
  return url.origin === location.origin ? url.pathname + url.search + url.hash : address;
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
