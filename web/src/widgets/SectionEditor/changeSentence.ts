import { formatDate, MOMENT } from "../../runtime/dates";
import type { Runtime } from "../../runtime/Runtime";
import type { Change } from "./Autosave";

/** Says who changed the section, and when. */
export function changeSentence({ changedBy, isOwnChange, changedAt }: Change, { page, t }: Runtime): string {
  if (changedAt === null) return t("This section was changed elsewhere.");
  const sentence = isOwnChange
    ? t("You changed this section elsewhere on {time}.")
    : changedBy === ""
      ? t("The writer changed this section on {time}.")
      : t("{name} changed this section on {time}.");
  return sentence.replace("{name}", () => changedBy).replace("{time}", () => formatDate(changedAt, page.language, MOMENT.datetime));
}
