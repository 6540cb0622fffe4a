import MarkdownIt, { type Token } from "markdown-it";
import { createElement, type ReactNode, useMemo } from "react";
import type { MarkdownViewProps } from "../../generated/widgets";
import { useRuntime } from "../../runtime/Runtime";

// Written by models and by strangers: no HTML, no images, and links only to where a person may safely go.
const markdown = new MarkdownIt("commonmark", { html: false }).enable(["table", "strikethrough"]).disable("image");
const SAFE_LINK = /^(https?:|mailto:|\/(?!\/)|#)/i;
const CITATION = /\[(\d{1,3})\]/;

type Cite = (number: number, key: string) => ReactNode;

/** React elements of a run of tokens; what is not on the list below comes out as its text. */
function renderTokens(tokens: readonly Token[], cite: Cite): ReactNode[] {
  const [nodes] = renderUntilClosed(tokens, 0, cite);
  return nodes;
}

const ALLOWED = new Set([
  ...["p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "hr", "br", "pre", "code"],
  ...["em", "strong", "s", "table", "thead", "tbody", "tr", "th", "td"],
]);

function renderUntilClosed(tokens: readonly Token[], from: number, cite: Cite): [ReactNode[], number] {
  const nodes: ReactNode[] = [];
  let index = from;
  while (index < tokens.length) {
    const token = tokens[index];
    if (token === undefined || token.nesting === -1) break;
    const key = String(index);
    if (token.nesting === 1) {
      const [children, end] = renderUntilClosed(tokens, index + 1, cite);
      nodes.push(renderElement(token, children, key));
      index = end + 1;
    } else {
      nodes.push(renderLeaf(token, key, cite));
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

function renderLeaf(token: Token, key: string, cite: Cite): ReactNode {
  switch (token.type) {
    case "inline":
      return renderTokens(token.children ?? [], cite).map((node, index) => <Piece key={`${key}.${index}`}>{node}</Piece>);
    case "text":
      return renderCitations(token.content, key, cite);
    case "softbreak":
      return "\n";
    case "hardbreak":
      return <br key={key} />;
    case "hr":
      return <hr key={key} />;
    case "code_inline":
      return <code key={key}>{token.content}</code>;
    case "code_block":
    case "fence":
      return (
        <pre key={key}>
          <code>{token.content}</code>
        </pre>
      );
    default:
      return token.content;
  }
}

function Piece({ children }: { readonly children: ReactNode }): ReactNode {
  return children;
}

function renderCitations(text: string, key: string, cite: Cite): ReactNode {
  const pieces = text.split(CITATION); // text, number, text, number, …
  if (pieces.length === 1) return text;
  return pieces.map((piece, index) => (index % 2 === 0 ? piece : cite(Number(piece), `${key}-${index}`)));
}

/** Markdown as safe elements; `[1]` opens the passage it cites. */
export function MarkdownView({ text, citations, onCitation }: MarkdownViewProps): ReactNode {
  const { t } = useRuntime();
  const titles = useMemo(() => new Map(citations.map(({ number, title }) => [number, title])), [citations]);
  const tokens = useMemo(() => markdown.parse(text, {}), [text]);
  const cite: Cite = (number, key) => {
    const title = titles.get(number);
    if (title === undefined) return `[${number}]`;
    return (
      <button
        key={key}
        type="button"
        className="fw-citation"
        title={title}
        aria-label={`${t("Citation")} ${number}: ${title}`}
        onClick={() => onCitation?.({ number })}
      >
        [{number}]
      </button>
    );
  };
  return <div className="fw-markdown" dir="auto">{renderTokens(tokens, cite)}</div>;
}
