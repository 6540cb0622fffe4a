import type { ReactNode } from "react";
import { useRuntime } from "../../runtime/Runtime";
import { CopyText } from "../SectionEditor/CopyText";

interface KeptTextProps {
  readonly sentence: string;
  readonly text: string;
  readonly onDiscard: () => void;
  /** Continues to edit the text. Without it, the text can only be copied. */
  readonly onContinue?: (() => void) | undefined;
}

/** A text that only this browser has. */
export function KeptText({ sentence, text, onDiscard, onContinue }: KeptTextProps): ReactNode {
  const { t } = useRuntime();
  return (
    <div className="fw-alert fw-alert-warning">
      <div className="fw-alert-body fw-row">
        <p>{sentence}</p>
        {onContinue === undefined ? (
          <>
            <CopyText text={text} />
            <button type="button" className="fw-button fw-button-small" onClick={onDiscard}>
              {t("Discard")}
            </button>
          </>
        ) : (
          <button type="button" className="fw-button fw-button-small fw-button-outlined" onClick={onContinue}>
            {t("Continue editing")}
          </button>
        )}
      </div>
    </div>
  );
}
