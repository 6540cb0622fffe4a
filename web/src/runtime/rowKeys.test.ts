import { afterEach, beforeEach, expect, test } from "vitest";
import { followRowKeys } from "./rowKeys";

let stop: () => void;
let pressed: string[];

const ROW = (name: string): string => `
  <li data-row>
    <button name="accept" aria-keyshortcuts="a" data-of="${name}">Accept</button>
    <button name="none" aria-keyshortcuts="n" data-of="${name}">None</button>
    <select data-of="${name}"><option value=""></option><option value="one">1</option><option value="two">2</option></select>
    <button name="undo" aria-keyshortcuts="u" data-of="${name}">Undo</button>
  </li>`;

beforeEach(() => {
  pressed = [];
  document.body.innerHTML = `<input id="words"><ul data-row-keys>${ROW("first")}${ROW("second")}</ul>`;
  for (const button of document.querySelectorAll("button"))
    button.addEventListener("click", () => pressed.push(`${button.name} ${button.dataset["of"] ?? ""}`));
  for (const select of document.querySelectorAll("select"))
    select.addEventListener("change", () => pressed.push(`${select.value} ${select.dataset["of"] ?? ""}`));
  stop = followRowKeys();
});
afterEach(() => {
  stop();
});

function press(key: string): void {
  (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
}

const focusedName = (row: Element): string => row.querySelector("select")?.dataset["of"] ?? "";
const focused = (): string | undefined => (document.activeElement as HTMLElement | null)?.dataset["of"];

test("J and K move between rows, and stop at the first and the last row", () => {
  press("j");
  expect(focused()).toBe("first");
  press("j");
  press("j");
  expect(focused()).toBe("second");
  press("k");
  press("k");
  expect(focused()).toBe("first");
});

test("A decides nothing before a row has the focus, but moves it to the first one", () => {
  press("a");
  expect(focused()).toBe("first");
  expect(pressed).toEqual([]);
  press("a");
  expect(pressed).toEqual(["accept first"]);
});

test("a key activates its control in the focused row", () => {
  press("j");
  press("j");
  press("n");
  expect(pressed).toEqual(["none second"]);
});

test("each key acts on the next row without waiting for the server", () => {
  press("j");
  press("n");
  press("a");
  press("k");
  expect(pressed).toEqual(["none first", "accept second"]);
  expect(focused()).toBe("first");
});

test("what opens a form keeps the focus in its row", () => {
  for (const row of document.querySelectorAll("[data-row]"))
    row.insertAdjacentHTML("beforeend", `<button name="edit" aria-keyshortcuts="e" data-of="${focusedName(row)}">Edit</button>`);
  press("j");
  press("e");
  expect((document.activeElement as HTMLElement).getAttribute("name")).toBe("edit");
  expect(focused()).toBe("first");
});

test("a digit also moves to the next row", () => {
  press("j");
  press("2");
  press("n");
  expect(pressed).toEqual(["two first", "none second"]);
});

test("a digit selects the option with this number", () => {
  press("j");
  press("2");
  press("9");
  expect(pressed).toEqual(["two first"]);
});

test("U undoes the last action when nothing has the focus", () => {
  press("j");
  press("a");
  (document.activeElement as HTMLElement).blur();
  press("u");
  expect(pressed).toEqual(["accept first", "undo first"]);
});

test("keys do nothing while the person types, with a modifier, and after g", () => {
  document.querySelector<HTMLElement>("#words")?.focus();
  press("j");
  expect(document.activeElement?.id).toBe("words");
  document.querySelector<HTMLElement>("button")?.focus();
  document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key: "a", ctrlKey: true, bubbles: true }));
  press("g");
  press("a");
  expect(pressed).toEqual([]);
});
