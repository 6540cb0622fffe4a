import { type ReactNode, useEffect, useRef, useState } from "react";
import type { CopyButtonProps } from "../../generated/widgets";

const SAID_MS = 3_000;

/** Copies a text. Browsers deny access to the clipboard on pages without HTTPS; the text is then shown selected instead. */
export function CopyButton({ text: given, label, copiedLabel, refusedLabel, isSmall, isPath }: CopyButtonProps): ReactNode {
  const text = isPath ? new URL(given, location.origin).href : given;
  const [outcome, setOutcome] = useState<"" | "copied" | "refused">("");
  const shown = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (outcome === "refused") shown.current?.select();
    if (outcome !== "copied") return undefined;
    const timer = setTimeout(() => setOutcome(""), SAID_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async (): Promise<void> => {
    setOutcome("");
    try {
      await navigator.clipboard.writeText(text);
      setOutcome("copied");
    } catch {
      setOutcome("refused");
    }
  };
  return (
    <>
      <button
        type="button"
        className={`fw-button fw-button-outlined${isSmall ? " fw-button-small" : ""}`}
        onClick={() => void copy()}
      >
        {outcome === "copied" ? copiedLabel : label}
      </button>
      <span className="fw-visually-hidden" role="status">
        {outcome === "copied" ? copiedLabel : ""}
      </span>
      {outcome === "refused" ? (
        <textarea ref={shown} className="fw-input" aria-label={refusedLabel} title={refusedLabel} readOnly rows={6} value={text} />
      ) : null}
    </>
  );
}
