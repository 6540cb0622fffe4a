/** Code that first paint does not need: loaded after hydration if a person is signed in. */

import { followAnswers } from "./answers";
import { forgetOldDrafts } from "./drafts";
import { keepFocus } from "./focus";
import { followPages } from "./pages";
import { followPanels } from "./panels";
import { followRowKeys } from "./rowKeys";
import type { Unsubscribe } from "./signal";
import { followTabKeys } from "./tabKeys";

export function followInteraction(root: HTMLElement): Unsubscribe {
  forgetOldDrafts();
  const stops = [followAnswers(), keepFocus(root), followPages(root), followPanels(root), followRowKeys(), followTabKeys()];
  return () => {
    for (const stop of stops) stop();
  };
}
