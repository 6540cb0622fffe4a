import { readField } from "./events";
import { isBaseOfChanges } from "./keptFields";
import type { ElementNode } from "./protocol";
import type { Runtime } from "./Runtime";

export type FormField = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export interface FieldContent {
  readonly value: unknown;
  readonly checked: unknown;
  /** Highest number of this field's events that the server had handled when it rendered. */
  readonly ack: number;
}

/** The server's content of the field; `value` and `checked` are undefined if the server does not control them. */
export function contentOf(node: ElementNode): FieldContent {
  const { value, checked, ack } = node.a ?? {};
  return { value, checked, ack: typeof ack === "number" ? ack : 0 };
}

/** The initial content of a field. */
function startOf(node: ElementNode): FieldContent {
  const { defaultValue, defaultChecked } = node.a ?? {};
  const { value = defaultValue, checked = defaultChecked, ack } = contentOf(node);
  return { value, checked, ack };
}

/**
 * Chooses between the text that the person typed and the content that the server sent. The server's content replaces the text only
 * if the server had received everything that was typed, so fast typing, input methods, and the cursor are not disturbed.
 */
export class FieldKeeper {
  readonly #runtime: Runtime;
  readonly #start: FieldContent;
  #isNew = true;
  #field: FormField | undefined;
  #handler: string | undefined;
  #isTouched = false;
  #isUnsent = false;
  #isComposing = false;
  #lastSent = 0;
  #mounts: number;

  constructor(runtime: Runtime, node: ElementNode) {
    this.#runtime = runtime;
    this.#start = startOf(node);
    this.#mounts = runtime.mounts;
  }

  /** Attaches this object to the DOM element; used as a React ref. */
  readonly attach = (field: FormField): (() => void) => {
    this.#field = field;
    // Typed before the page was hydrated: the response to `hello` sends it.
    if (!this.#runtime.isHydrated.get() && differs(field, this.#start)) this.#isTouched = true;
    return this.#runtime.onListening(this.#catchUp);
  };

  follow(node: ElementNode): void {
    this.#handler = (node.e?.["onChange"] ?? node.e?.["onInput"])?.h;
  }

  /** Called when the server has rendered new content, or has handled more events of the field. */
  offer(content: FieldContent): void {
    const isFreshState = this.#mounts !== this.#runtime.mounts;
    this.#mounts = this.#runtime.mounts;
    const isNew = this.#isNew;
    this.#isNew = false;
    if (isNew || this.#field === undefined || this.#isComposing) return;
    if (isFreshState && isBaseOfChanges(this.#field)) return;
    if (this.#isTouched && (isFreshState || content.ack < this.#lastSent)) return;
    write(this.#field, content);
  }

  readonly change = (isComposing: boolean): void => {
    this.#isTouched = true;
    this.#isComposing = isComposing;
    if (!isComposing) this.#send();
  };

  readonly #catchUp = (isFresh: boolean): void => {
    if (isFresh) {
      this.#lastSent = 0;
      this.#mounts = this.#runtime.mounts;
      if (this.#isTouched) this.#send();
    } else if (this.#isUnsent) this.#send();
  };

  #send(): void {
    if (this.#field === undefined || this.#handler === undefined) return;
    const sent = this.#runtime.emitContent(this.#handler, readField(this.#field), () => {
      // Text that was typed later was sent in its own event, which handles its own refusal.
      if (sent === this.#lastSent) this.#runtime.afterRefusal(() => this.#send());
    });
    this.#isUnsent = sent === 0;
    if (sent !== 0) this.#lastSent = sent;
  }
}

function isToggle(field: FormField): field is HTMLInputElement {
  return field instanceof HTMLInputElement && (field.type === "checkbox" || field.type === "radio");
}

function asText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function differs(field: FormField, { value, checked }: FieldContent): boolean {
  if (isToggle(field)) return field.checked !== (checked === true);
  return !(field instanceof HTMLSelectElement) && field.value !== asText(value);
}

function write(field: FormField, { value, checked }: FieldContent): void {
  if (isToggle(field)) {
    if (checked !== undefined) field.checked = checked === true;
  } else if (value === undefined) return;
  else if (!(field instanceof HTMLSelectElement)) writeText(field, asText(value));
  else if (Array.isArray(value)) for (const option of field.options) option.selected = value.includes(option.value);
  else field.value = asText(value);
}

function writeText(field: HTMLInputElement | HTMLTextAreaElement, text: string): void {
  if (field.value === text) return;
  const { selectionStart, selectionEnd } = field; // null in fields without a cursor
  field.value = text;
  if (document.activeElement === field && selectionStart !== null) field.setSelectionRange(selectionStart, selectionEnd);
}
