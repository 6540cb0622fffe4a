import { type ReactNode, useEffect, useState } from "react";
import type { UnsavedTextsProps } from "../../generated/widgets";
import { forgetText } from "../../runtime/drafts";
import { useRuntime } from "../../runtime/Runtime";
import { type UnsavedText, unsavedTexts } from "../SectionEditor/Autosave";
import { KeptText } from "./KeptText";

const CHECK_INTERVAL_MS = 2_000;

/** Lists unsaved texts of a draft's sections that only this browser has, with links to continue editing them. */
export function UnsavedTexts({ path, sections, editing, onContinue }: UnsavedTextsProps): ReactNode {
  const runtime = useRuntime();
  const { t } = runtime;
  const [left, setLeft] = useState<readonly UnsavedText[]>(() => unsavedTexts(runtime, path));
  useEffect(() => {
    const look = (): void => {
      const found = unsavedTexts(runtime, path);
      setLeft((before) => (JSON.stringify(found) === JSON.stringify(before) ? before : found));
    };
    const timer = setInterval(look, CHECK_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [runtime, path]);
  const discard = ({ sectionId, id }: UnsavedText): void => {
    forgetText(runtime.page.account, path + sectionId, id);
    setLeft(unsavedTexts(runtime, path));
  };
  const isEdited = (sectionId: string): boolean => sectionId === editing && sections.some(({ id }) => id === editing);
  const shown = left.filter(({ sectionId }) => !isEdited(sectionId));
  return (
    <div role="status" className={shown.length === 0 ? "fw-visually-hidden" : "fw-stack"}>
      {shown.map((text) => {
        const there = sections.find(({ id }) => id === text.sectionId);
        return (
          <KeptText
            key={text.id}
            sentence={(there === undefined
              ? t("The section “{heading}” was deleted before your text was saved.")
              : t("Your text in “{heading}” has not been saved.")
            ).replace("{heading}", () => there?.heading ?? text.heading)}
            text={text.text}
            onDiscard={() => discard(text)}
            onContinue={there === undefined || onContinue === undefined ? undefined : () => onContinue({ id: there.id })}
          />
        );
      })}
    </div>
  );
}
