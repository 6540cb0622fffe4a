import type { ReactNode } from "react";
import { useRuntime } from "../../runtime/Runtime";
import { CopyButton } from "../CopyButton/CopyButton";

/** Copies a text that may not reach the server. */
export function CopyText({ text }: { readonly text: string }): ReactNode {
  const { t } = useRuntime();
  return (
    <CopyButton
      text={text}
      label={t("Copy your text")}
      copiedLabel={t("Copied")}
      refusedLabel={t("Your browser doesn't allow copying. Copy the selected text yourself.")}
      isSmall
      isPath={false}
    />
  );
}
