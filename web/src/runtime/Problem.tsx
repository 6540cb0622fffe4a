import type { ReactNode } from "react";
import { useRuntime } from "./Runtime";

export interface ProblemProps {
  /** Names the log entry of a failure on the server. */
  readonly errorId?: string;
  readonly onRetry?: () => void;
}

/** Stands in the place of a part that failed, and leaves the rest of the page as it is. */
export function Problem({ errorId, onRetry = () => location.reload() }: ProblemProps): ReactNode {
  const { t } = useRuntime();
  return (
    <div className="fw-problem" role="alert">
      <p className="fw-problem-title">{t("This part of the page could not be shown.")}</p>
      {errorId === undefined ? null : (
        <p className="fw-problem-detail">
          {t("Error id")} <code>{errorId}</code>
        </p>
      )}
      <button type="button" className="fw-button fw-button-outlined" onClick={onRetry}>
        {t("Try again")}
      </button>
    </div>
  );
}
