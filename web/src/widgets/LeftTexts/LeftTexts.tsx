import { type ReactNode, useState } from "react";
import type { LeftTextsProps } from "../../generated/widgets";
import { forgetText } from "../../runtime/drafts";
import { useRuntime } from "../../runtime/Runtime";
import { leftTexts } from "../SectionEditor/Autosave";
import { KeptText } from "../UnsavedTexts/KeptText";

/** Lists texts that were typed in workspaces that the person has left, before they were saved. */
export function LeftTexts({ workspaces }: LeftTextsProps): ReactNode {
  const { page, t } = useRuntime();
  const [discarded, setDiscarded] = useState<readonly string[]>([]);
  const left = leftTexts(page.account, workspaces).filter(({ id }) => !discarded.includes(id));
  if (left.length === 0) return null;
  return (
    <div className="fw-stack">
      {left.map(({ account, form, id, heading, text }) => (
        <KeptText
          key={id}
          sentence={t("You typed this in “{heading}” before you left its workspace. It was not saved.").replace("{heading}", () => heading)}
          text={text}
          onDiscard={() => {
            forgetText(account, form, id);
            setDiscarded([...discarded, id]);
          }}
        />
      ))}
    </div>
  );
}
