import { EditorState } from "prosemirror-state";
import { EditorView } from "prosemirror-view";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { SectionEditorProps } from "../../generated/widgets";
import { useRuntime } from "../../runtime/Runtime";
import { useSignal } from "../../runtime/signal";
import { Autosave, type Other } from "./Autosave";
import { Conflict } from "./Conflict";
import { changeSentence } from "./changeSentence";
import { plugins } from "./editing";
import { Refusal } from "./Refusal";
import { parseMarkdown, writeMarkdown } from "./markdown";
import { SaveLine } from "./SaveLine";
import "./SectionEditor.css";
import { Toolbar } from "./Toolbar";

/** Edits the heading and the text of a section without Markdown syntax, and saves automatically. */
export function SectionEditor(props: SectionEditorProps): ReactNode {
  const { path, heading, text, revision, citations, refusal } = props;
  const runtime = useRuntime();
  const { t } = runtime;
  const headingId = useId();
  const place = useRef<HTMLDivElement>(null);
  const [autosave] = useState(() => Autosave.of(runtime, path, { heading, text }, revision));
  const [view, setView] = useState<EditorView | null>(null);
  const [state, setState] = useState<EditorState | null>(null);
  const saving = useSignal(autosave.state);
  const content = useSignal(autosave.content);
  const followed = useSignal(autosave.followed);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });

  useEffect(() => {
    if (place.current === null) return undefined;
    const known = (): ReadonlySet<number> => new Set(latest.current.citations.map(({ number }) => number));
    const openCitation = (number: number): void => latest.current.onCitation?.({ number, place: null });
    const editor = new EditorView(place.current, {
      state: EditorState.create({
        doc: parseMarkdown(autosave.content.get().text, known()),
        plugins: plugins({ isKnown: (number) => known().has(number), openCitation, save: () => autosave.flush() }),
      }),
      editable: () => latest.current.refusal === "",
      attributes: { class: "fw-markdown fw-editor-text", role: "textbox", "aria-multiline": "true", "aria-label": t("Text"), dir: "auto" },
      dispatchTransaction: (transaction) => {
        const next = editor.state.apply(transaction);
        editor.updateState(next);
        setState(next);
        if (transaction.docChanged && transaction.getMeta(FROM_SERVER) !== true)
          autosave.change({ heading: autosave.content.get().heading, text: writeMarkdown(next.doc) });
      },
      handleClickOn: (_view, _pos, node) => {
        if (node.type.name === "citation") openCitation(node.attrs["number"] as number);
        return false;
      },
    });
    setView(editor);
    setState(editor.state);
    editor.focus();
    const stop = autosave.start();
    return () => {
      stop();
      editor.destroy();
      setView(null);
    };
  }, [autosave, t]);

  const show = (shown: string): void => {
    if (view === null) return;
    const doc = parseMarkdown(shown, new Set(citations.map(({ number }) => number)));
    view.dispatch(view.state.tr.replaceWith(0, view.state.doc.content.size, doc.content).setMeta(FROM_SERVER, true));
  };
  useEffect(() => {
    if (view === null || revision <= autosave.revision || !autosave.isClean) return;
    // Another page has saved. Its text replaces the text here without asking, because nothing here waits to be saved.
    autosave.follow({ heading, text }, revision);
    show(text);
    void autosave.ask();
  });

  useEffect(() => {
    if (refusal === "") return;
    autosave.refuse(refusal);
    view?.setProps({}); // asks again whether it is editable
  }, [autosave, view, refusal]);

  const takeOther = async (other: Other): Promise<void> => {
    if (await autosave.takeOther(other)) show(other.text);
  };
  const rename = (typed: string): void => {
    if (view !== null) autosave.change({ heading: typed, text: writeMarkdown(view.state.doc) });
  };
  const finish = async (): Promise<void> => {
    if (refusal !== "" || (await autosave.settle())) latest.current.onDone?.({});
  };
  return (
    <div className="fw-editor">
      {refusal === "" ? null : <Refusal sentence={refusal} text={content.text} isSaved={autosave.isClean} />}
      <div className="fw-field">
        <label className="fw-label" htmlFor={headingId}>
          {t("Heading")}
        </label>
        <input id={headingId} className="fw-input" value={content.heading} maxLength={300} autoComplete="off" readOnly={refusal !== ""} onChange={({ target }) => rename(target.value)} />
      </div>
      {saving.kind === "conflict" && refusal === "" ? (
        <Conflict
          mine={content}
          other={saving.other}
          problem={saving.problem}
          onKeep={() => autosave.keepMine(saving.other)}
          onTake={() => void takeOther(saving.other)}
        />
      ) : null}
      <p className="fw-small fw-muted" role="status">
        {followed === null ? "" : `${changeSentence(followed, runtime)} ${t("The previous text is kept under Versions.")}`}
      </p>
      <div className="fw-editor-frame">
        {view === null || state === null || refusal !== "" ? null : <Toolbar view={view} state={state} citations={citations} />}
        <div ref={place} />
      </div>
      <div className="fw-row fw-row-between">
        {refusal === "" ? <SaveLine state={saving} /> : <span />}
        <button type="button" className="fw-button fw-button-outlined" onClick={() => void finish()}>
          {t("Done")}
        </button>
      </div>
    </div>
  );
}

const FROM_SERVER = "fromServer";
