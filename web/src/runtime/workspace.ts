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
