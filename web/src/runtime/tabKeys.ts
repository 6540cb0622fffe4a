import type { Unsubscribe } from "./signal";

/** The index that a key selects among `count` tabs; null for other keys. */
function placeAfter(key: string, at: number, count: number, isRightToLeft: boolean): number | null {
  const forward = isRightToLeft ? "ArrowLeft" : "ArrowRight";
  const back = isRightToLeft ? "ArrowRight" : "ArrowLeft";
  if (key === forward) return (at + 1) % count;
  if (key === back) return (at + count - 1) % count;
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : null;
}

/** Arrow keys, Home, and End select a tab of a `tablist`; the Tab key reaches only the selected one. */
export function followTabKeys(): Unsubscribe {
  const press = (event: KeyboardEvent): void => {
    const tab = event.target instanceof Element ? event.target.closest<HTMLElement>("[role=tab]") : null;
    const list = tab?.closest<HTMLElement>("[role=tablist]");
    if (tab === null || list == null || event.ctrlKey || event.metaKey || event.altKey) return;
    const tabs = Array.from(list.querySelectorAll<HTMLElement>("[role=tab]"));
    const place = placeAfter(event.key, tabs.indexOf(tab), tabs.length, document.documentElement.dir === "rtl");
    if (place === null) return;
    event.preventDefault();
    tabs[place]?.focus();
    tabs[place]?.click();
  };
  document.addEventListener("keydown", press);
  return () => document.removeEventListener("keydown", press);
}
