import type { ChangeEvent, KeyboardEvent, SubmitEvent, SyntheticEvent } from "react";
import { momentOf } from "./dates";
import type { EventData } from "./protocol";

type FormField = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** The content of a field: its text or the selected values of a multiple select, and whether it is checked. */
export function readField(field: FormField): { value: string | string[]; checked: boolean } {
  if (field instanceof HTMLSelectElement && field.multiple) {
    return { value: Array.from(field.selectedOptions, (option) => option.value), checked: false };
  }
  return { value: field.value, checked: field instanceof HTMLInputElement && field.checked };
}

function isLocalTime(field: Element | RadioNodeList | null): boolean {
  return field instanceof HTMLInputElement && field.type === "datetime-local";
}

function readForm(form: HTMLFormElement, submitter: HTMLElement | null): EventData {
  const fields: Record<string, string | string[]> = {};
  for (const [name, value] of new FormData(form, submitter)) {
    if (typeof value !== "string") continue; // Files are uploaded over HTTP, never over the socket.
    const read = isLocalTime(form.elements.namedItem(name)) ? momentOf(value) : value;
    const earlier = fields[name];
    if (earlier === undefined) fields[name] = read;
    else fields[name] = Array.isArray(earlier) ? [...earlier, read] : [earlier, read];
  }
  return { fields, submitter: submitter?.getAttribute("name") ?? null };
}

/** The payload of an element's event as docs/runtime-protocol.md defines it. */
export function encodeEvent(name: string, event: SyntheticEvent): EventData {
  switch (name) {
    case "onChange":
    case "onInput":
      return { ...readField((event as ChangeEvent<FormField>).target) };
    case "onSubmit": {
      const { currentTarget, nativeEvent } = event as SubmitEvent<HTMLFormElement>;
      return readForm(currentTarget, nativeEvent.submitter);
    }
    case "onKeyDown": {
      const { key, ctrlKey, metaKey, shiftKey, altKey } = event as KeyboardEvent;
      return { key, ctrl: ctrlKey, meta: metaKey, shift: shiftKey, alt: altKey };
    }
    case "onBlur":
    case "onFocus": {
      const { value, name: field } = event.target as Partial<FormField>;
      return { value: value ?? "", name: field ?? "" };
    }
    case "onToggle":
      return { open: (event.nativeEvent as ToggleEvent).newState === "open" };
    default:
      return {};
  }
}
