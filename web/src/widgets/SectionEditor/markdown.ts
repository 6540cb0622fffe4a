import MarkdownIt, { type Token } from "markdown-it";
import { MarkdownParser, MarkdownSerializer, type MarkdownSerializerState } from "prosemirror-markdown";
import type { Node } from "prosemirror-model";
import { schema } from "./schema";

const CITATIONS = /^\[(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\](?!\()/;

/** Parses the Markdown of a section like `MarkdownView`, and `[n]` as a citation only for sources of the draft. */
const tokenizer = new MarkdownIt("commonmark", { html: false }).enable(["table", "strikethrough"]).disable(["image", "reference"]);

tokenizer.inline.ruler.before("link", "citation", (state, silent) => {
  const [written, numbers] = CITATIONS.exec(state.src.slice(state.pos, state.posMax)) ?? [];
  if (written === undefined || numbers === undefined) return false;
  const cited = numbers.split(/[,;]/).map(Number);
  const { known } = state.env as { known: ReadonlySet<number> };
  if (!cited.every((number) => known.has(number))) return false;
  if (!silent) for (const number of cited) state.push("citation", "", 0).meta = { number };
  state.pos += written.length;
  return true;
});

const parser = new MarkdownParser(schema, tokenizer, {
  paragraph: { block: "paragraph" },
  heading: { block: "heading", getAttrs: ({ tag }) => ({ level: Number(tag.slice(1)) }) },
  blockquote: { block: "blockquote" },
  bullet_list: { block: "bullet_list" },
  ordered_list: { block: "ordered_list", getAttrs: (token) => ({ order: Number(token.attrGet("start") ?? 1) }) },
  list_item: { block: "list_item" },
  code_block: { block: "code_block", noCloseToken: true },
  fence: { block: "code_block", getAttrs: ({ info }) => ({ params: info }), noCloseToken: true },
  hr: { node: "horizontal_rule" },
  hardbreak: { node: "hard_break" },
  table: { block: "table" },
  thead: { ignore: true },
  tbody: { ignore: true },
  tr: { block: "table_row" },
  th: { block: "table_header" },
  td: { block: "table_cell" },
  citation: { node: "citation", getAttrs: ({ meta }) => ({ number: (meta as { number: number }).number }) },
  em: { mark: "em" },
  strong: { mark: "strong" },
  s: { mark: "strike" },
  code_inline: { mark: "code", noCloseToken: true },
  link: { mark: "link", getAttrs: (token) => ({ href: token.attrGet("href") }) },
});

/** Replaces a line break in the source with a space. */
function joinLines(tokens: readonly Token[]): void {
  for (const token of tokens) {
    if (token.type === "softbreak") Object.assign(token, { type: "text", content: " " });
    if (token.children !== null) joinLines(token.children);
  }
}

const parseTokens = tokenizer.parse.bind(tokenizer);
tokenizer.parse = (text, env) => {
  const tokens = parseTokens(text, env);
  joinLines(tokens);
  return tokens;
};

export function parseMarkdown(text: string, known: ReadonlySet<number>): Node {
  return parser.parse(text, { known });
}

const serializer = new MarkdownSerializer(
  {
    paragraph(state, node) {
      state.renderInline(node);
      state.closeBlock(node);
    },
    heading(state, node) {
      state.write(`${"#".repeat(node.attrs["level"] as number)} `);
      state.renderInline(node, false);
      state.closeBlock(node);
    },
    blockquote(state, node) {
      state.wrapBlock("> ", null, node, () => state.renderContent(node));
    },
    bullet_list(state, node) {
      state.renderList(node, "  ", () => "- ");
    },
    ordered_list(state, node) {
      const first = node.attrs["order"] as number;
      const width = String(first + node.childCount - 1).length + 2;
      state.renderList(node, " ".repeat(width), (index) => `${first + index}.`.padEnd(width));
    },
    list_item(state, node) {
      state.renderContent(node);
    },
    code_block(state, node) {
      const longest = Math.max(2, ...Array.from(node.textContent.matchAll(/`+/g), ([run]) => run.length));
      const fence = "`".repeat(longest + 1);
      state.write(`${fence}${node.attrs["params"] as string}\n`);
      state.text(node.textContent, false);
      state.ensureNewLine();
      state.write(fence);
      state.closeBlock(node);
    },
    horizontal_rule(state, node) {
      state.write("---");
      state.closeBlock(node);
    },
    hard_break(state, node, parent, index) {
      for (let next = index + 1; next < parent.childCount; next += 1)
        if (parent.child(next).type !== node.type) {
          state.write("\\\n");
          return;
        }
    },
    table: writeTable,
    citation(state, node) {
      state.text(`[${node.attrs["number"] as number}]`, false);
    },
    text(state, node, parent, index) {
      const before = index > 0 ? parent.child(index - 1) : null;
      state.text(escaped(state, node.text ?? "", before), false);
    },
  },
  {
    em: { open: "*", close: "*", mixable: true, expelEnclosingWhitespace: true },
    strong: { open: "**", close: "**", mixable: true, expelEnclosingWhitespace: true },
    strike: { open: "~~", close: "~~", mixable: true, expelEnclosingWhitespace: true },
    code: { open: (_state, _mark, parent, index) => ticks(parent.child(index), -1), close: (_state, _mark, parent, index) => ticks(parent.child(index - 1), 1), escape: false },
    link: { open: "[", close: (_state, mark) => `](${(mark.attrs["href"] as string).replace(/[()"\\]/g, "\\$&").replace(/\s/g, "%20")})`, mixable: false },
  },
);

const TIGHT = { tightLists: true };

/** Escapes characters that would be Markdown syntax at this position. */
function escaped(state: MarkdownSerializerState, text: string, before: Node | null): string {
  const isLineStart = before === null || before.type.name === "hard_break";
  let safe = state.esc(isLineStart ? text.replace(/^\s+/, "") : text, isLineStart);
  safe = safe.replace(/&(?=#?\w+;)|<(?=[a-z/!?])|~(?=~)/gi, "\\$&").replace(/(\s)(#+\s*)$/, "$1\\$2");
  if (isLineStart) safe = safe.replace(/^(\d+)\)(?=\s|$)/, "$1\\)").replace(/^(?:[=+|]|\d+(?=\.$))/, (run) => (/\d/.test(run) ? `${run}\\` : `\\${run}`));
  // `[1](` would start a link.
  return before?.type.name === "citation" ? safe.replace(/^\(/, "\\(") : safe;
}

function ticks(node: Node, side: 1 | -1): string {
  const runs = Array.from((node.text ?? "").matchAll(/`+/g), ([run]) => run.length);
  if (runs.length === 0) return "`";
  const fence = "`".repeat(Math.max(...runs) + 1);
  return side < 0 ? `${fence} ` : ` ${fence}`;
}

/** Writes a table with one header row and single-line cells, as Markdown requires. */
function writeTable(state: MarkdownSerializerState, table: Node): void {
  const rows: string[][] = [];
  table.forEach((row) => {
    const cells: string[] = [];
    row.forEach((cell) => {
      cells.push(inlineMarkdown(cell), ...Array.from({ length: ((cell.attrs["colspan"] as number) || 1) - 1 }, () => ""));
    });
    rows.push(cells);
  });
  const width = Math.max(...rows.map(({ length }) => length));
  const lines = rows.map((cells) => `| ${Array.from({ length: width }, (_, index) => cells[index] ?? "").join(" | ")} |`);
  lines.splice(1, 0, `|${" --- |".repeat(width)}`);
  lines.forEach((line, index) => {
    if (index > 0) state.ensureNewLine();
    state.write(line);
  });
  state.closeBlock(table);
}

function inlineMarkdown(cell: Node): string {
  const text = serializer.serialize(schema.node("doc", null, schema.node("paragraph", null, cell.content)));
  return text.replace(/\\\n/g, " ").replace(/\|/g, "\\|").trim();
}

export function writeMarkdown(doc: Node): string {
  return serializer.serialize(doc, TIGHT).trim();
}
