import "./LanguageOffer.css";
import { type ReactNode, useState } from "react";
import type { LanguageOfferProps } from "../../generated/widgets";
import { keepFields } from "../../runtime/keptFields";
import { useRuntime } from "../../runtime/Runtime";
import { isLanguageKept, keepLanguage } from "../SettingsDrawer/language";

/** One line that offers the browser's language, until the person accepts or dismisses it in this browser. */
export function LanguageOffer({ languages }: LanguageOfferProps): ReactNode {
  const { page } = useRuntime();
  const [offer, setOffer] = useState(() => (isLanguageKept() ? undefined : firstKnown(languages)));
  if (offer === undefined) return null;
  const accept = (): void => {
    keepLanguage(offer.code, page.base);
    keepFields(page.account);
    location.reload();
  };
  const dismiss = (): void => {
    keepLanguage("en", page.base);
    setOffer(undefined);
  };
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
