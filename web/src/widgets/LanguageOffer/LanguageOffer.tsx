import "./LanguageOffer.css";
import { type ReactNode, useEffect, useState } from "react";
import type { LanguageOfferProps } from "../../generated/widgets";
import { keepFields } from "../../runtime/keptFields";
import { useRuntime } from "../../runtime/Runtime";
import { isLanguageKept, keepLanguage } from "../SettingsDrawer/language";

/** One line that offers the browser's language, on one page: once it was shown, the browser keeps English unless the person accepts. */
export function LanguageOffer({ languages }: LanguageOfferProps): ReactNode {
  const { page } = useRuntime();
  const [offer, setOffer] = useState(() => (isLanguageKept() ? undefined : firstKnown(languages)));
  const isOffered = offer !== undefined;
  useEffect(() => {
    if (isOffered) keepLanguage("en", page.base);
  }, [isOffered, page.base]);
  if (offer === undefined) return null;
  const accept = (): void => {
    keepLanguage(offer.code, page.base);
    keepFields(page.account);
    location.reload();
  };
  const dismiss = (): void => setOffer(undefined);
  return (
    <aside className="fw-language-offer" lang={offer.code} aria-label={offer.accept}>
      <button type="button" className="fw-link" onClick={accept}>
        {offer.accept}
      </button>
      <button type="button" className="fw-language-dismiss" aria-label={offer.dismiss} title={offer.dismiss} onClick={dismiss}>
        ×
      </button>
    </aside>
  );
}

/** The offer in the first language that the browser prefers among those we have, unless that is English. */
function firstKnown(languages: LanguageOfferProps["languages"]): LanguageOfferProps["languages"][number] | undefined {
  for (const preferred of navigator.languages) {
    const code = preferred.split("-")[0]?.toLowerCase();
    if (code === "en") return undefined;
    const offer = languages.find((each) => each.code === code);
    if (offer !== undefined) return offer;
  }
  return undefined;
}
