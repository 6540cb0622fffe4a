import { type ReactNode, useId } from "react";
import { useRuntime } from "../../runtime/Runtime";
import type { Other } from "./Autosave";

interface ConflictProps {
  readonly other: Other;
  readonly onKeep: () => void;
  readonly onTake: () => void;
}

/** Shown if the section was saved elsewhere in the meantime: compares the two texts and asks which one to keep. */
export function Conflict({ other, onKeep, onTake }: ConflictProps): ReactNode {
  const { t } = useRuntime();
  const titleId = useId();
  return (
    <section className="fw-alert fw-alert-warning" role="alert" aria-labelledby={titleId}>
      <div className="fw-alert-body">
        <p className="fw-alert-title" id={titleId}>
          {t("This section was changed elsewhere.")}
        </p>
        <p>{t("The differences are marked below: what your text adds to the other text and what it removes. Every saved version is kept.")}</p>
        <div className="fw-diff" dir="auto">
          {other.pieces.map(({ kind, text }, index) => {
            const key = `${index}`;
            if (kind === "added") return <ins key={key}>{text}</ins>;
            return kind === "removed" ? <del key={key}>{text}</del> : <span key={key}>{text}</span>;
          })}
        </div>
        <div className="fw-row">
          <button type="button" className="fw-button fw-button-contained" onClick={onKeep}>
            {t("Keep my text")}
          </button>
          <button type="button" className="fw-button fw-button-outlined" onClick={onTake}>
            {t("Use the other text")}
          </button>
        </div>
      </div>
    </section>
  );
}
