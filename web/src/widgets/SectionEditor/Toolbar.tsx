import type { Command, EditorState } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import type { Citation } from "../../generated/widgets";
import { useRuntime } from "../../runtime/Runtime";
import * as editing from "./editing";

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
      {button(t("Bold"), <b>B</b>, editing.bold, editing.isMarked(state, "strong"))}
      {button(t("Italic"), <i>I</i>, editing.italic, editing.isMarked(state, "em"))}
      {button(t("Bulleted list"), "•", editing.toggleList("bullet_list"), editing.isInList(state, "bullet_list"))}
      {button(t("Numbered list"), "1.", editing.toggleList("ordered_list"), editing.isInList(state, "ordered_list"))}
      {isTable ? (
        <>
          {button(t("Add row below"), t("+ Row"), editing.addRow)}
          {button(t("Add column after"), t("+ Column"), editing.addColumn)}
          {button(t("Delete row"), t("− Row"), editing.removeRow)}
          {button(t("Delete column"), t("− Column"), editing.removeColumn)}
          {button(t("Delete table"), t("− Table"), editing.removeTable)}
        </>
      ) : (
        button(t("Insert table"), t("Table"), editing.insertTable)
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
      {button(t("Undo"), "↶", editing.undo)}
      {button(t("Redo"), "↷", editing.redo)}
    </div>
  );
}
