/** Keeps what was typed on a page that has to reload, and restores it for the same account in the same tab. */

import { ofTab } from "./storage";
import { withoutWorkspace } from "./workspace";

const KEY = "kept-fields";
/** A separate key, because the fields of a person who has to sign in again must survive the login page. */
const SIGNED_OUT_KEY = "kept-fields-signed-out";
const SECRET = new Set(["password", "file", "hidden"]);
/** `autocomplete` values of password fields, whose type changes while their content is shown. */
const SECRET_CONTENT = /-password$|^one-time-code$/;

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export interface KeptField {
  readonly name: string;
  /** Its position among the fields of that name. */
  readonly place: number;
  readonly value: string;
  readonly checked: boolean;
}

interface KeptPage {
  readonly account: string | null;
  readonly address: string;
  readonly fields: readonly KeptField[];
  readonly isWhole: boolean;
}

export function keepFields(account: string | null): void {
  const fields = readFields(document);
  if (fields.length === 0) return;
  fields.sort((one, other) => one.value.length - other.value.length);
  // Browsers store a few million characters: the longest texts are left out until the rest fits.
  for (let count = fields.length; count >= 0; count -= 1) {
    const kept: KeptPage = { account, address: address(), fields: fields.slice(0, count), isWhole: count === fields.length };
    if (fits(kept)) return;
  }
}

function keyOf(account: string | null): string {
  return account === null ? SIGNED_OUT_KEY : KEY;
}

function fits(kept: KeptPage): boolean {
  return ofTab.set(keyOf(kept.account), JSON.stringify(kept));
}

/**
 * Restores the content of fields that still exist, as if it had been typed. Content kept for another account is deleted.
 * Returns whether everything that was typed here is present.
 */
export function restoreFields(account: string | null): boolean {
  const text = ofTab.get(keyOf(account));
  if (text === null) return true;
  const kept = JSON.parse(text) as KeptPage;
  if (kept.account === account && kept.address !== address()) return true;
  ofTab.remove(keyOf(account));
  if (kept.account !== account) return true;
  writeFields(document, kept.fields);
  return kept.isWhole;
}

/** The changed fields of `root`, with the hidden fields that hold the version the changes are based on. */
export function readFields(root: ParentNode): KeptField[] {
  return allFields(root).flatMap(({ field, place }) =>
    isChanged(field) || isBaseOfChanges(field) ? [{ name: field.name, place, value: field.value, checked: isTicked(field) }] : [],
  );
}

/** Restores the content of fields as if it had been typed. */
export function writeFields(root: ParentNode, fields: readonly KeptField[]): void {
  for (const [field, kept] of pairs(root, fields)) write(field, kept.value, kept.checked);
}

/** Whether each of `fields` that is visible in `root` has its content. */
export function holds(root: ParentNode, fields: readonly KeptField[]): boolean {
  return pairs(root, fields).every(([field, kept]) => field.hidden || (isToggle(field) ? field.checked === kept.checked : field.value === kept.value));
}

function pairs(root: ParentNode, fields: readonly KeptField[]): [Field, KeptField][] {
  const shown = allFields(root);
  return fields.flatMap((kept) => {
    const found = shown.find(({ field, place }) => field.name === kept.name && place === kept.place);
    return found === undefined ? [] : [[found.field, kept]];
  });
}

function address(): string {
  return location.pathname + withoutWorkspace(location.search);
}

function allFields(root: ParentNode): { field: Field; place: number }[] {
  const seen = new Map<string, number>();
  return Array.from(root.querySelectorAll<Field>("input[name], textarea[name], select[name]"), (field) => {
    const place = seen.get(field.name) ?? 0;
    seen.set(field.name, place + 1);
    return { field, place };
  }).filter(({ field }) => !isSecret(field));
}

function isSecret(field: Field): boolean {
  return SECRET.has(field.type) || SECRET_CONTENT.test(field.autocomplete) || field.dataset["secret"] !== undefined;
}

function isToggle(field: Field): field is HTMLInputElement {
  return field instanceof HTMLInputElement && (field.type === "checkbox" || field.type === "radio");
}

function isTicked(field: Field): boolean {
  return isToggle(field) && field.checked;
}

/**
 * Whether `field` holds the version that the changes in its form are based on. It keeps its content as long as there are such changes, so that
 * the server can tell whether someone else has changed the same thing since then.
 */
export function isBaseOfChanges(field: Field): boolean {
  return field.hidden && field.form !== null && allFields(field.form).some(({ field: each }) => isChanged(each));
}

function isChanged(field: Field): boolean {
  if (field.hidden) return false;
  if (field instanceof HTMLSelectElement) return Array.from(field.options).some((each) => each.selected !== isInitial(each, field));
  return isToggle(field) ? field.checked !== field.defaultChecked : field.value !== field.defaultValue;
}

/** Whether the option is chosen initially: without a default, browsers take the first one. */
function isInitial(option: HTMLOptionElement, { options, multiple }: HTMLSelectElement): boolean {
  if (multiple || Array.from(options).some((each) => each.defaultSelected)) return option.defaultSelected;
  return option.index === 0;
}

/** React notices a change only if it bypasses React's own property setter. */
function write(field: Field, value: string, checked: boolean): void {
  if (isToggle(field)) {
    if (field.checked !== checked) field.click();
    return;
  }
  if (field instanceof HTMLSelectElement && !Array.from(field.options).some((each) => each.value === value)) return; // no longer offered
  const prototype = Object.getPrototypeOf(field) as object;
  Object.getOwnPropertyDescriptor(prototype, "value")?.set?.call(field, value);
  field.dispatchEvent(new Event(field instanceof HTMLSelectElement ? "change" : "input", { bubbles: true }));
}
