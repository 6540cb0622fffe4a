import type { ReactNode } from "react";
import { useRuntime } from "./Runtime";

export interface ProblemProps {
  /** The id of the entry in the server's log. */
  readonly errorId?: string | undefined;
  readonly isBusy?: boolean;
  readonly onRetry: () => void;
}

/** Replaces a part of the page that failed. The rest of the page keeps working. */
export function Problem({ errorId, isBusy = false, onRetry }: ProblemProps): ReactNode {
  const { t } = useRuntime();
  return (
    <div className="fw-problem" role="alert">
      <p className="fw-problem-title">{t("This part of the page could not be shown.")}</p>
      {errorId === undefined ? null : (
        <p className="fw-problem-detail">
          {t("Error ID")} <code>{errorId}</code>
        </p>
      )}
      <button
        type="button"
        className="fw-button fw-button-outlined"
        aria-disabled={isBusy || undefined}
        aria-busy={isBusy || undefined}
        onClick={isBusy ? undefined : onRetry}
      >
        {t("Try again")}
      </button>
    </div>
  );
}
