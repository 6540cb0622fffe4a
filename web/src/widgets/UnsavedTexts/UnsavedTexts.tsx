import { type ReactNode, useEffect, useState } from "react";
import type { UnsavedTextsProps } from "../../generated/widgets";
import { forgetText } from "../../runtime/drafts";
import { useRuntime } from "../../runtime/Runtime";
import { CopyButton } from "../CopyButton/CopyButton";
import { type UnsavedText, unsavedTexts } from "../SectionEditor/Autosave";

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
          <div key={text.id} className="fw-alert fw-alert-warning">
            <div className="fw-alert-body fw-row">
              <p>
                {(there === undefined
                  ? t("The section “{heading}” was deleted before your text was saved.")
                  : t("Your text in “{heading}” has not been saved.")
                ).replace("{heading}", () => there?.heading ?? text.heading)}
              </p>
              {there === undefined ? (
                <>
                  <CopyButton
                    text={text.text}
                    label={t("Copy your text")}
                    copiedLabel={t("Copied")}
                    refusedLabel={t("Your browser doesn't allow copying. Copy the selected text yourself.")}
                    isSmall
                    isPath={false}
                  />
                  <button type="button" className="fw-button fw-button-small" onClick={() => discard(text)}>
                    {t("Discard")}
                  </button>
                </>
              ) : (
                <button type="button" className="fw-button fw-button-small fw-button-outlined" onClick={() => onContinue?.({ id: there.id })}>
                  {t("Continue editing")}
                </button>
              )}
            </div>
          </div>
        );
      })}
    </div>
  );
}
