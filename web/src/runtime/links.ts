/** The path that a click on a link leads to, without `base`; null when the browser should act. */
export function pathOfClick(event: MouseEvent, base: string): string | null {
  if (event.defaultPrevented || event.button !== 0) return null;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!(link instanceof HTMLAnchorElement) || !link.hasAttribute("href")) return null;
  if (link.target !== "" && link.target !== "_self") return null;
  if (link.hasAttribute("download") || link.dataset["reload"] !== undefined) return null;
  const { origin, pathname, search, hash } = new URL(link.href);
  if (origin !== location.origin || !`${pathname}/`.startsWith(`${base}/`)) return null;
  if (hash !== "" && pathname === location.pathname && search === location.search) return null; // a fragment of this page
  const path = pathname.slice(base.length) || "/";
  return path.startsWith("/api/") ? null : path + search + hash;
}

/** The link to a file of the API that was clicked, with any button. */
export function fileOfClick(event: MouseEvent, base: string): HTMLAnchorElement | null {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!(link instanceof HTMLAnchorElement) || link.origin !== location.origin) return null;
  return link.pathname.startsWith(`${base}/api/`) ? link : null;
}
