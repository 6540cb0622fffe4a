import MarkdownIt, { type Token } from "markdown-it";
import { createElement, type ReactNode, useMemo } from "react";
import type { ClaimMark, MarkdownViewProps } from "../../generated/widgets";
import { useRuntime } from "../../runtime/Runtime";

// The text may come from models and untrusted people: no HTML, no images, and links only to safe addresses.
// Without text_join, an escaped bracket stays separate from the text around it and is not read as part of a citation.
const markdown = new MarkdownIt("commonmark", { html: false }).enable(["table", "strikethrough"]).disable(["image", "text_join"]);
// The part after “?” in an email link could add hidden recipients.
const SAFE_LINK = /^(https?:|mailto:[^?]*$|\/(?!\/)|#)/i;
const CITATION = /\[(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\]/;

// Private-use characters that are inserted where a mark begins and ends, because tokens do not record their positions.
const BEGIN = "\uE000";
const END = "\uE001";
const BOUNDARY = /([\uE000\uE001])/;
const BOUNDARIES = /[\uE000\uE001]/g;

/** How citations are rendered, and which marks have been processed. */
interface Context {
  readonly cite: (numbers: string, key: string) => ReactNode;
  readonly marks: readonly ClaimMark[];
  next: number;
  open: ClaimMark | null;
}

function withBoundaries(text: string, marks: readonly ClaimMark[]): string {
  if (marks.length === 0) return text;
  const characters = Array.from(text.replace(BOUNDARIES, "\uFFFD"));
  for (const { start, end } of marks) {
    characters[start] = BEGIN + (characters[start] ?? "");
    characters[end - 1] = (characters[end - 1] ?? "") + END;
  }
  return characters.join("");
}

/** React elements for a sequence of tokens. Tokens that are not listed below are rendered as text. */
function renderTokens(tokens: readonly Token[], context: Context): ReactNode[] {
  const [nodes] = renderUntilClosed(tokens, 0, context);
  return nodes;
}

const ALLOWED = new Set([
  ...["p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "hr", "br", "pre", "code"],
  ...["em", "strong", "s", "table", "thead", "tbody", "tr", "th", "td"],
]);

function renderUntilClosed(tokens: readonly Token[], from: number, context: Context): [ReactNode[], number] {
  const nodes: ReactNode[] = [];
  let index = from;
  while (index < tokens.length) {
    const token = tokens[index];
    if (token === undefined || token.nesting === -1) break;
    const key = String(index);
    if (token.nesting === 1) {
      const [children, end] = renderUntilClosed(tokens, index + 1, context);
      nodes.push(renderElement(token, children, key));
      index = end + 1;
    } else {
      nodes.push(renderLeaf(token, key, context));
      index += 1;
    }
  }
  return [nodes, index];
}

function renderElement(token: Token, children: ReactNode[], key: string): ReactNode {
  if (token.hidden) return children;
  if (token.tag === "a") return renderLink(token, children, key);
  return ALLOWED.has(token.tag) ? createElement(token.tag, { key }, ...children) : children;
}

function renderLink(token: Token, children: ReactNode[], key: string): ReactNode {
  const href = String(token.attrGet("href") ?? "");
  if (!SAFE_LINK.test(href)) return children;
  const isForeign = /^https?:/i.test(href);
  return createElement("a", { key, href, ...(isForeign && { target: "_blank", rel: "noopener noreferrer" }) }, ...children);
}

function renderLeaf(token: Token, key: string, context: Context): ReactNode {
  switch (token.type) {
    case "inline":
      return renderTokens(token.children ?? [], context).map((node, index) => <Piece key={`${key}.${index}`}>{node}</Piece>);
    case "text":
      return renderText(token.content, key, context);
    case "text_special":
      return <Marked key={key} mark={context.open}>{token.content}</Marked>;
    case "softbreak":
      return "\n";
    case "hardbreak":
      return <br key={key} />;
    case "hr":
      return <hr key={key} />;
    case "code_inline":
      return <code key={key}>{codeOf(token.content, context)}</code>;
    case "code_block":
    case "fence":
      return (
        <pre key={key}>
          <code>{codeOf(token.content, context)}</code>
        </pre>
      );
    default:
      return codeOf(token.content, context);
  }
}

function Piece({ children }: { readonly children: ReactNode }): ReactNode {
  return children;
}

function renderText(text: string, key: string, context: Context): ReactNode {
  if (!BOUNDARY.test(text) && context.open === null) return renderCitations(text, key, context);
  return text.split(BOUNDARY).map((piece, index) => {
    const place = `${key}:${index}`;
    if (piece === BEGIN) context.open = context.marks[context.next++] ?? null;
    else if (piece === END) return closeMark(place, context);
    else if (piece !== "") return <Marked key={place} mark={context.open}>{renderCitations(piece, place, context)}</Marked>;
    return null;
  });
}

function closeMark(key: string, context: Context): ReactNode {
  const note = context.open?.note;
  context.open = null;
  return note === undefined ? null : <span key={key} className="fw-visually-hidden">{` (${note})`}</span>;
}

function Marked({ mark, children }: { readonly mark: ClaimMark | null; readonly children: ReactNode }): ReactNode {
  if (mark === null) return children;
  return <span className={mark.isCited ? "fw-claim" : "fw-claim fw-claim-uncited"} title={mark.note}>{children}</span>;
}

/** Code is rendered unchanged. */
function codeOf(text: string, context: Context): string {
  context.next += text.split(BEGIN).length - 1;
  return text.replace(BOUNDARIES, "");
}

function renderCitations(text: string, key: string, context: Context): ReactNode {
  const pieces = text.split(CITATION); // text, numbers, text, numbers, …
  if (pieces.length === 1) return text;
  return pieces.map((piece, index) => {
    if (index % 2 === 0) return index < pieces.length - 1 ? piece.replace(/ $/, "") : piece;
    const place = `${key}-${index}`;
    const cited = context.cite(piece, place);
    if (pieces[index - 1]?.endsWith(" ") !== true) return cited;
    if (typeof cited === "string") return ` ${cited}`;
    // A narrow space keeps the number with its word, and the class keeps it with the space: a line may always end before a button.
    return <span key={place} className="fw-cited">{"\u202F"}{cited}</span>;
  });
}

/** Markdown as safe elements; `[1]` opens the passage it cites. */
export function MarkdownView({ text, citations, marks, onCitation }: MarkdownViewProps): ReactNode {
  const { t } = useRuntime();
  const titles = useMemo(() => new Map(citations.map(({ number, title }) => [number, title])), [citations]);
  const tokens = useMemo(() => markdown.parse(withBoundaries(text, marks), {}), [text, marks]);
  const places = { next: 0 };
  const cite: Context["cite"] = (numbers, key) => {
    const cited = numbers.split(/[,;]/).map((number) => ({ number: Number(number), title: titles.get(Number(number)) }));
    if (cited.some(({ title }) => title === undefined)) return `[${numbers}]`;
    const place = places.next++;
    return cited.map(({ number, title }) => (
      <button
        key={`${key}-${number}`}
        type="button"
        className="fw-citation"
        title={title}
        aria-label={`${t("Citation")} ${number}: ${title}`}
        onClick={() => onCitation?.({ number, place })}
      >
        {number}
      </button>
    ));
  };
  return <div className="fw-markdown" dir="auto">{renderTokens(tokens, { cite, marks, next: 0, open: null })}</div>;
}
