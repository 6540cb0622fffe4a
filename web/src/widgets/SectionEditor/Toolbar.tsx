import type { Command, EditorState } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import type { Citation } from "../../generated/widgets";
import { useRuntime } from "../../runtime/Runtime";
import * as editing from "./editing";

const ICONS = {
  bold: "M15.6 10.79c.97-.67 1.65-1.77 1.65-2.79 0-2.26-1.75-4-4-4H7v14h7.04c2.09 0 3.71-1.7 3.71-3.79 0-1.52-.86-2.82-2.15-3.42zM10 6.5h3c.83 0 1.5.67 1.5 1.5s-.67 1.5-1.5 1.5h-3v-3zm3.5 9H10v-3h3.5c.83 0 1.5.67 1.5 1.5s-.67 1.5-1.5 1.5z",
  italic: "M10 4v3h2.21l-3.42 8H6v3h8v-3h-2.21l3.42-8H18V4z",
  bullets: "M2.5 4.5h3v3h-3zM2.5 10.5h3v3h-3zM2.5 16.5h3v3h-3zM7.5 5h14v2h-14zM7.5 11h14v2h-14zM7.5 17h14v2h-14z",
  numbers: "M2 17h2v.5H3v1h1v.5H2v1h3v-4H2v1zm1-9h1V4H2v1h1v3zm-1 3h1.8L2 13.1v.9h3v-1H3.2L5 10.9V10H2v1zm5-6v2h14V5H7zm0 14h14v-2H7v2zm0-6h14v-2H7v2z",
  table: "M3 4h18v16H3zM5 6v3h6V6zM13 6v3h6V6zM5 11v3h6v-3zM13 11v3h6v-3zM5 16v2h6v-2zM13 16v2h6v-2z",
  undo: "M12.5 8c-2.65 0-5.05.99-6.9 2.6L2 7v9h9l-3.62-3.62c1.39-1.16 3.16-1.88 5.12-1.88 3.54 0 6.55 2.31 7.6 5.5l2.37-.78C21.08 11.03 17.15 8 12.5 8z",
  redo: "M18.4 10.6C16.55 8.99 14.15 8 11.5 8c-4.65 0-8.58 3.03-9.96 7.22L3.9 16c1.05-3.19 4.05-5.5 7.6-5.5 1.95 0 3.73.72 5.12 1.88L13 16h9V7l-3.6 3.6z",
};

function Icon({ name }: { readonly name: keyof typeof ICONS }): ReactNode {
  return (
    <svg viewBox="0 0 24 24" fillRule="evenodd" aria-hidden="true">
      <path d={ICONS[name]} />
    </svg>
  );
}

interface ToolbarProps {
  readonly view: EditorView;
  readonly state: EditorState;
  readonly citations: readonly Citation[];
}

/** The formatting controls. The toolbar is one tab stop; arrow keys move between its controls. */
export function Toolbar({ view, state, citations }: ToolbarProps): ReactNode {
  const { t } = useRuntime();
  const bar = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState(0);
  const run = (command: Command): void => {
    command(view.state, view.dispatch.bind(view), view);
    view.focus();
  };
  const controls = (): HTMLElement[] => Array.from(bar.current?.querySelectorAll<HTMLElement>("button, select") ?? []);
  const move = (event: KeyboardEvent): void => {
    const all = controls();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const isRightToLeft = getComputedStyle(event.currentTarget).direction === "rtl";
    const steps: Readonly<Record<string, number>> = { ArrowRight: isRightToLeft ? -1 : 1, ArrowLeft: isRightToLeft ? 1 : -1, Home: -at, End: all.length - 1 - at };
    const step = steps[event.key];
    if (step === undefined || at < 0) return;
    event.preventDefault();
    const next = (at + step + all.length) % all.length;
    setFocused(next);
    all[next]?.focus();
  };
  const isTable = editing.isInTable(state);
  const level = editing.headingLevel(state);
  let place = 0;
  const stop = (): { readonly tabIndex: number; readonly onFocus: () => void } => {
    const own = place;
    // oxlint-disable-next-line react/immutability -- it counts the controls of one render
    place += 1;
    return { tabIndex: own === focused ? 0 : -1, onFocus: () => setFocused(own) };
  };
  const button = (label: string, sign: ReactNode, command: Command, isOn?: boolean): ReactNode => (
    <button
      type="button"
      className="fw-editor-button"
      aria-label={label}
      title={label}
      aria-pressed={isOn}
      aria-disabled={!command(state) || undefined}
      // Keep the selection.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => run(command)}
      {...stop()}
    >
      {sign}
    </button>
  );
  return (
    <div ref={bar} className="fw-editor-bar" role="toolbar" aria-label={t("Formatting")} tabIndex={-1} onKeyDown={move}>
      <select
        className="fw-input fw-input-small fw-editor-select"
        aria-label={t("Paragraph style")}
        value={level}
        disabled={isTable}
        onChange={({ target }) => run(editing.setHeading(Number(target.value)))}
        {...stop()}
      >
        <option value={0}>{t("Paragraph")}</option>
        {level > 0 && level !== 3 && level !== 4 ? <option value={level}>{t("Heading")} {level}</option> : null}
        <option value={3}>{t("Heading")}</option>
        <option value={4}>{t("Subheading")}</option>
      </select>
      {button(t("Bold"), <Icon name="bold" />, editing.bold, editing.isMarked(state, "strong"))}
      {button(t("Italic"), <Icon name="italic" />, editing.italic, editing.isMarked(state, "em"))}
      {button(t("Bulleted list"), <Icon name="bullets" />, editing.toggleList("bullet_list"), editing.isInList(state, "bullet_list"))}
      {button(t("Numbered list"), <Icon name="numbers" />, editing.toggleList("ordered_list"), editing.isInList(state, "ordered_list"))}
      {isTable ? (
        <>
          {button(t("Add row below"), t("+ Row"), editing.addRow)}
          {button(t("Add column after"), t("+ Column"), editing.addColumn)}
          {button(t("Delete row"), t("− Row"), editing.removeRow)}
          {button(t("Delete column"), t("− Column"), editing.removeColumn)}
          {button(t("Delete table"), t("− Table"), editing.removeTable)}
        </>
      ) : (
        button(t("Insert table"), <Icon name="table" />, editing.insertTable)
      )}
      {citations.length === 0 ? null : (
        <select
          className="fw-input fw-input-small fw-editor-select"
          aria-label={t("Cite source")}
          value=""
          onChange={({ target }) => run(editing.insertCitation(Number(target.value)))}
          {...stop()}
        >
          <option value="">{t("Cite…")}</option>
          {citations.map(({ number, title }) => (
            <option key={number} value={number}>
              [{number}] {title}
            </option>
          ))}
        </select>
      )}
      {button(t("Undo"), <Icon name="undo" />, editing.undo)}
      {button(t("Redo"), <Icon name="redo" />, editing.redo)}
    </div>
  );
}
