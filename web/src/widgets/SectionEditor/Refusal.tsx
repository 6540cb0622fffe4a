import type { ReactNode } from "react";
import { useRuntime } from "../../runtime/Runtime";
import { CopyText } from "./CopyText";

interface RefusalProps {
  readonly sentence: string;
  readonly text: string;
  readonly isSaved: boolean;
}

/** Shown if the person may no longer edit the section that is open: the text stays, and can be copied. */
export function Refusal({ sentence, text, isSaved }: RefusalProps): ReactNode {
  const { t } = useRuntime();
  return (
    <section className="fw-alert fw-alert-warning" role="alert">
      <div className="fw-alert-body">
        <p className="fw-alert-title">{sentence}</p>
        <p>{isSaved ? t("Everything that you typed was saved.") : t("Your last changes were not saved. Copy your text before you leave.")}</p>
        <div className="fw-row">
          <CopyText text={text} />
        </div>
      </div>
    </section>
  );
}
