import type { ReactNode } from "react";
import type { PasskeyProps } from "../../generated/widgets";
import { supportsPasskeys, usePasskey } from "./usePasskey";

/** Asks the browser for a passkey; with a label, as a button. */
export function Passkey({ label, unsupportedLabel, options, isBlock, onStart, onAnswer, onRefused }: PasskeyProps): ReactNode {
  usePasskey(options, { onAnswer, onRefused });
  if (!supportsPasskeys()) return unsupportedLabel === "" ? null : <p className="fw-muted">{unsupportedLabel}</p>;
  if (label === "") return null;
  return (
    <button
      type="button"
      className={`fw-button fw-button-outlined${isBlock ? " fw-button-block" : ""}`}
      aria-busy={options !== "" || undefined}
      onClick={() => onStart?.({})}
    >
      {label}
    </button>
  );
}
