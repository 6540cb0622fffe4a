import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { formatDate } from "./dates";
import { Draft, type DraftVersion } from "./drafts";
import { useRuntime } from "./Runtime";

/** Part of a form that keeps drafts: offers to restore the unsaved text of an earlier visit. */
export function DraftKeeper({ form }: { readonly form: string }): ReactNode {
  const runtime = useRuntime();
  const place = useRef<HTMLDivElement>(null);
  const [draft] = useState(() => new Draft(runtime, form));
  const [offer, setOffer] = useState<DraftVersion | null>(null);
  useLayoutEffect(() => {
    const element = place.current?.closest("form");
    return element == null ? undefined : draft.follow(element, setOffer);
  }, [draft]);

  const answer = (act: (version: DraftVersion) => void): void => {
    if (offer !== null) act(offer);
    setOffer(null);
    place.current?.closest("form")?.querySelector<HTMLElement>("input, textarea, select")?.focus();
  };
  return (
    <div ref={place} role="status" className={offer === null ? "fw-visually-hidden" : "fw-alert fw-alert-info"}>
      {offer === null ? null : (
        <div className="fw-alert-body fw-row">
          <p>{runtime.t("You have unsaved text from {time}.").replace("{time}", timeOf(offer.at, runtime.page.language))}</p>
          <button type="button" className="fw-button fw-button-small fw-button-outlined" onClick={() => answer((version) => draft.restore(version))}>
            {runtime.t("Restore")}
          </button>
          <button type="button" className="fw-button fw-button-small" onClick={() => answer((version) => draft.discard(version))}>
            {runtime.t("Discard")}
          </button>
        </div>
      )}
    </div>
  );
}

/** `10:42` for today; earlier times include the date. */
function timeOf(at: number, language: string): string {
  const day = (moment: number): string => formatDate(new Date(moment).toISOString(), language, { dateStyle: "medium" });
  const isToday = day(at) === day(Date.now());
  return formatDate(new Date(at).toISOString(), language, isToday ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" });
}
