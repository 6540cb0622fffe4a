/** What makes a page good to work in and is not needed to show it: fetched once it is hydrated, where somebody is signed in. */

import { forgetDrafts } from "./draftKeys";
import { forgetOldDrafts } from "./drafts";
import { keepFocus } from "./focus";
import type { Unsubscribe } from "./signal";
import { followTabKeys } from "./tabKeys";

export function followInteraction(root: HTMLElement, account: string): Unsubscribe {
  forgetDrafts(account);
  forgetOldDrafts();
  const stops = [keepFocus(root), followTabKeys()];
  return () => {
    for (const stop of stops) stop();
  };
}
