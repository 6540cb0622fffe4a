import { baseKeymap, chainCommands, setBlockType, toggleMark } from "prosemirror-commands";
import { history, redo, undo } from "prosemirror-history";
import { InputRule, inputRules, textblockTypeInputRule, wrappingInputRule } from "prosemirror-inputrules";
import { keymap } from "prosemirror-keymap";
import type { Attrs, MarkType, NodeType } from "prosemirror-model";
import { liftListItem, sinkListItem, splitListItem, wrapInList } from "prosemirror-schema-list";
import { type Command, type EditorState, NodeSelection, Plugin, Selection } from "prosemirror-state";
import {
  addColumnAfter,
  addRowAfter,
  deleteColumn,
  deleteRow,
  deleteTable,
  goToNextCell,
  isInTable,
  tableEditing,
} from "prosemirror-tables";
import { schema } from "./schema";

/** A node type of the schema. */
function node(name: string): NodeType {
  const type = schema.nodes[name];
  if (type === undefined) throw new Error(`The schema has no node ${name}.`);
  return type;
}

function mark(name: string): MarkType {
  const type = schema.marks[name];
  if (type === undefined) throw new Error(`The schema has no mark ${name}.`);
  return type;
}

const citation = node("citation");
const listItem = node("list_item");
const paragraph = node("paragraph");

export const bold = toggleMark(mark("strong"));
export const italic = toggleMark(mark("em"));
export const addRow: Command = (state, dispatch) => addRowAfter(state, dispatch);
export const addColumn: Command = (state, dispatch) => addColumnAfter(state, dispatch);
export const removeRow: Command = (state, dispatch) => deleteRow(state, dispatch);
export const removeColumn: Command = (state, dispatch) => deleteColumn(state, dispatch);
export const removeTable: Command = (state, dispatch) => deleteTable(state, dispatch);
export { isInTable, redo, undo };

export function isMarked(state: EditorState, name: "strong" | "em"): boolean {
  const { from, $from, to, empty } = state.selection;
  const type = mark(name);
  return empty ? type.isInSet(state.storedMarks ?? $from.marks()) !== undefined : state.doc.rangeHasMark(from, to, type);
}

function listAround(state: EditorState): NodeType | null {
  const { $from } = state.selection;
  for (let depth = $from.depth; depth > 0; depth -= 1) {
    const { type } = $from.node(depth);
    if (type === node("bullet_list") || type === node("ordered_list")) return type;
  }
  return null;
}

export function isInList(state: EditorState, name: "bullet_list" | "ordered_list"): boolean {
  return listAround(state) === node(name);
}

/** Turns the selected paragraphs into a list, changes the kind of list, or turns the list into paragraphs. */
export function toggleList(name: "bullet_list" | "ordered_list"): Command {
  return (state, dispatch) => {
    const around = listAround(state);
    if (around === node(name)) return liftListItem(listItem)(state, dispatch);
    if (around === null) return wrapInList(node(name))(state, dispatch);
    const { $from } = state.selection;
    for (let depth = $from.depth; depth > 0; depth -= 1) {
      if ($from.node(depth).type !== around) continue;
      dispatch?.(state.tr.setNodeMarkup($from.before(depth), node(name)));
      return true;
    }
    return false;
  };
}

/** The level of the heading at the cursor; 0 for other text. */
export function headingLevel(state: EditorState): number {
  const { parent } = state.selection.$from;
  return parent.type === node("heading") ? (parent.attrs["level"] as number) : 0;
}

export function setHeading(level: number): Command {
  return level === 0 ? setBlockType(paragraph) : setBlockType(node("heading"), { level });
}

/** Inserts a table with two columns and two rows, the first of which is a header row. */
export const insertTable: Command = (state, dispatch) => {
  if (isInTable(state)) return false;
  const row = (type: string): ReturnType<NodeType["create"]> => node("table_row").create(null, [node(type).create(), node(type).create()]);
  const table = node("table").create(null, [row("table_header"), row("table_cell")]);
  const tr = state.tr.replaceSelectionWith(table);
  const place = Math.min(tr.selection.from, tr.doc.content.size);
  const found = Selection.findFrom(tr.doc.resolve(Math.max(0, place - table.nodeSize)), 1, true);
  if (found !== null) tr.setSelection(found);
  dispatch?.(tr.scrollIntoView());
  return true;
};

export function insertCitation(number: number): Command {
  return (state, dispatch) => {
    dispatch?.(state.tr.replaceSelectionWith(citation.create({ number } satisfies Attrs)).scrollIntoView());
    return true;
  };
}

/** Turns `[3]` into a citation if the draft has a source with this number. */
function citationRule(isKnown: (number: number) => boolean): InputRule {
  return new InputRule(/\[(\d{1,4})\]$/, (state, match, start, end) => {
    const number = Number(match[1]);
    return isKnown(number) ? state.tr.replaceWith(start, end, citation.create({ number })) : null;
  });
}

/** In a table cell, Enter moves to the next cell, because Markdown tables have no line breaks. */
const enterInTable: Command = (state, dispatch, view) => {
  if (!isInTable(state)) return false;
  if (goToNextCell(1)(state, dispatch)) return true;
  addRowAfter(state, dispatch);
  if (view !== undefined) goToNextCell(1)(view.state, dispatch);
  return true;
};

const breakLine: Command = (state, dispatch) => {
  if (isInTable(state) || state.selection.$from.parent.type.spec.code === true) return false;
  dispatch?.(state.tr.replaceSelectionWith(node("hard_break").create()).scrollIntoView());
  return true;
};

/** Keeps a paragraph after a table or rule at the end of the text, so that a person can continue there. */
const lastParagraph = new Plugin({
  appendTransaction: (_transactions, _before, state) => {
    const last = state.doc.lastChild;
    if (last === null || last.isTextblock || last.type === node("bullet_list") || last.type === node("ordered_list")) return null;
    return state.tr.insert(state.doc.content.size, paragraph.create());
  },
});

interface PluginOptions {
  readonly isKnown: (number: number) => boolean;
  readonly openCitation: (number: number) => void;
  readonly save: () => void;
}

export function plugins({ isKnown, openCitation, save }: PluginOptions): Plugin[] {
  const openSelected: Command = ({ selection }) => {
    if (!(selection instanceof NodeSelection) || selection.node.type !== citation) return false;
    openCitation(selection.node.attrs["number"] as number);
    return true;
  };
  return [
    inputRules({
      rules: [
        textblockTypeInputRule(/^(#{2,4})\s$/, node("heading"), ([, marks = "###"]) => ({ level: marks.length })),
        wrappingInputRule(/^\s*[-*]\s$/, node("bullet_list")),
        wrappingInputRule(/^(\d+)\.\s$/, node("ordered_list"), ([, first]) => ({ order: Number(first) })),
        citationRule(isKnown),
      ],
    }),
    keymap({
      "Mod-z": undo,
      "Mod-y": redo,
      "Shift-Mod-z": redo,
      "Mod-b": bold,
      "Mod-i": italic,
      "Mod-s": () => (save(), true),
      Enter: chainCommands(openSelected, enterInTable, splitListItem(listItem)),
      "Shift-Enter": breakLine,
      // Outside of lists and tables, Tab leaves the editor, so that keyboard users are not trapped.
      Tab: chainCommands(goToNextCell(1), sinkListItem(listItem)),
      "Shift-Tab": chainCommands(goToNextCell(-1), liftListItem(listItem)),
    }),
    keymap(baseKeymap),
    history(),
    tableEditing(),
    lastParagraph,
  ];
}
