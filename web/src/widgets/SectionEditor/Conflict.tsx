import { type ReactNode, useId } from "react";
import { useRuntime } from "../../runtime/Runtime";
import type { Content, Other } from "./Autosave";
import { changeSentence } from "./changeSentence";
import { CopyText } from "./CopyText";

interface ConflictProps {
  readonly mine: Content;
  readonly other: Other;
  /** Why the text here could not be kept as a version. */
  readonly problem: string | undefined;
  readonly onKeep: () => void;
  readonly onTake: () => void;
}

/** Shown if the section was saved elsewhere in the meantime: says by whom, compares the two texts, and asks which one to use. */
export function Conflict({ mine, other, problem, onKeep, onTake }: ConflictProps): ReactNode {
  const runtime = useRuntime();
  const { t } = runtime;
  const titleId = useId();
  return (
    <section className="fw-alert fw-alert-warning" role="alert" aria-labelledby={titleId}>
      <div className="fw-alert-body">
        <p className="fw-alert-title" id={titleId}>
          {changeSentence(other, runtime)}
        </p>
        <p>
          {t("The differences are marked below: what your text adds to the other text and what it removes. The text that you don't use is kept under Versions.")}
        </p>
        <div className="fw-diff" dir="auto">
          {other.pieces.map(({ kind, text }, index) => {
            const key = `${index}`;
            if (kind === "added") return <ins key={key}>{text}</ins>;
            return kind === "removed" ? <del key={key}>{text}</del> : <span key={key}>{text}</span>;
          })}
        </div>
        {problem === undefined ? null : (
          <p className="fw-field-error">{`${t("Your text could not be kept as a version:")} ${problem === "" ? t("The server cannot be reached.") : problem}`}</p>
        )}
        <div className="fw-row">
          <button type="button" className="fw-button fw-button-contained" onClick={onKeep}>
            {t("Keep my text")}
          </button>
          <button type="button" className="fw-button fw-button-outlined" onClick={onTake}>
            {t("Use the other text")}
          </button>
          <CopyText text={mine.text} />
        </div>
      </div>
    </section>
  );
}
