import type { ReactNode } from "react";
import { useRuntime } from "../../runtime/Runtime";
import type { SaveState } from "./Autosave";

/** The save status. Screen readers announce only failures; other announcements would interrupt typing. */
export function SaveLine({ state }: { readonly state: SaveState }): ReactNode {
  const { t } = useRuntime();
  if (state.kind === "failed") {
    const reason = state.problem === "" ? t("The server cannot be reached.") : state.problem;
    return (
      <p className="fw-small fw-field-error" role="alert">
        {`${t("Not saved:")} ${reason} ${state.isRetrying ? t("Trying again. Your text is kept in this browser.") : t("Your text is kept in this browser.")}`}
      </p>
    );
  }
  return <p className="fw-small fw-muted">{sentence(state.kind, t)}</p>;
}

function sentence(kind: SaveState["kind"], t: (sentence: string) => string): string {
  switch (kind) {
    case "saved":
      return t("Saved");
    case "saving":
      return t("Saving…");
    case "conflict":
      return t("Not saved: choose which text to keep.");
    default:
      return t("Not saved yet");
  }
}
