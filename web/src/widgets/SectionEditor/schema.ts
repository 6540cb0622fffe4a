import { type DOMOutputSpec, type MarkSpec, type NodeSpec, Schema } from "prosemirror-model";
import { tableNodes } from "prosemirror-tables";

const nodes: Record<string, NodeSpec> = {
  doc: { content: "block+" },
  paragraph: { content: "inline*", group: "block", parseDOM: [{ tag: "p" }], toDOM: (): DOMOutputSpec => ["p", 0] },
  heading: {
    attrs: { level: { default: 3 } },
    content: "inline*",
    group: "block",
    defining: true,
    parseDOM: [1, 2, 3, 4, 5, 6].map((level) => ({ tag: `h${level}`, attrs: { level } })),
    toDOM: (node): DOMOutputSpec => [`h${node.attrs["level"] as number}`, 0],
  },
  bullet_list: { content: "list_item+", group: "block", parseDOM: [{ tag: "ul" }], toDOM: (): DOMOutputSpec => ["ul", 0] },
  ordered_list: {
    attrs: { order: { default: 1 } },
    content: "list_item+",
    group: "block",
    parseDOM: [{ tag: "ol", getAttrs: (list) => ({ order: (list as HTMLOListElement).start }) }],
    toDOM: (node): DOMOutputSpec => ["ol", { start: String(node.attrs["order"]) }, 0],
  },
  list_item: { content: "paragraph block*", defining: true, parseDOM: [{ tag: "li" }], toDOM: (): DOMOutputSpec => ["li", 0] },
  blockquote: { content: "block+", group: "block", defining: true, parseDOM: [{ tag: "blockquote" }], toDOM: (): DOMOutputSpec => ["blockquote", 0] },
  code_block: {
    attrs: { params: { default: "" } },
    content: "text*",
    group: "block",
    marks: "",
    code: true,
    defining: true,
    parseDOM: [{ tag: "pre", preserveWhitespace: "full" }],
    toDOM: (): DOMOutputSpec => ["pre", ["code", 0]],
  },
  horizontal_rule: { group: "block", parseDOM: [{ tag: "hr" }], toDOM: (): DOMOutputSpec => ["hr"] },
  ...tableNodes({ tableGroup: "block", cellContent: "inline*", cellAttributes: {} }),
  text: { group: "inline" },
  hard_break: { inline: true, group: "inline", selectable: false, parseDOM: [{ tag: "br" }], toDOM: (): DOMOutputSpec => ["br"] },
  /** The number of a cited passage, which is deleted and moved as a unit. */
  citation: {
    attrs: { number: {} },
    inline: true,
    group: "inline",
    atom: true,
    parseDOM: [{ tag: "[data-citation]", getAttrs: (chip) => ({ number: Number(chip.dataset["citation"]) }) }],
    toDOM: (node): DOMOutputSpec => {
      const number = String(node.attrs["number"]);
      return ["span", { "data-citation": number, class: "fw-citation" }, number];
    },
  },
};

const marks: Record<string, MarkSpec> = {
  link: {
    attrs: { href: {} },
    inclusive: false,
    parseDOM: [{ tag: "a[href^='https:'], a[href^='http:'], a[href^='mailto:']:not([href*='?'])", getAttrs: (link) => ({ href: link.getAttribute("href") }) }],
    // Links are inactive in the editor.
    toDOM: (mark): DOMOutputSpec => ["a", { title: mark.attrs["href"] as string, class: "fw-link" }, 0],
  },
  strong: { parseDOM: [{ tag: "strong" }, { tag: "b" }], toDOM: (): DOMOutputSpec => ["strong", 0] },
  em: { parseDOM: [{ tag: "em" }, { tag: "i" }], toDOM: (): DOMOutputSpec => ["em", 0] },
  strike: { parseDOM: [{ tag: "s" }, { tag: "del" }], toDOM: (): DOMOutputSpec => ["s", 0] },
  code: { code: true, parseDOM: [{ tag: "code" }], toDOM: (): DOMOutputSpec => ["code", 0] },
};

/** The Markdown elements that a section may contain. */
export const schema = new Schema({ nodes, marks });
