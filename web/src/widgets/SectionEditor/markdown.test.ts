import { describe, expect, it } from "vitest";
import { parseMarkdown, writeMarkdown } from "./markdown";

const KNOWN = new Set([1, 2, 12]);
const again = (text: string): string => writeMarkdown(parseMarkdown(text, KNOWN));
const typed = (text: string): string => {
  const doc = parseMarkdown("x", KNOWN);
  const paragraph = doc.firstChild;
  if (paragraph === null) throw new Error("There is no paragraph.");
  return writeMarkdown(doc.copy(doc.content.replaceChild(0, paragraph.copy(paragraph.content.replaceChild(0, doc.type.schema.text(text))))));
};
const shown = (text: string): string => parseMarkdown(text, KNOWN).textContent;

describe("the writer's Markdown is unchanged after reading and writing", () => {
  it.each([
    ["a paragraph with citations", "We repaired 40 roofs [1][2]. Our crew has 12 people [12]."],
    ["headings", "### Past performance\n\nText.\n\n#### Details\n\nMore."],
    ["a bulleted list", "- one [1]\n- two\n  - inner\n- three"],
    ["a numbered list", "1. one\n2. two\n3. three"],
    ["a numbered list that begins later", "4. four\n5. five"],
    ["a table", "| Customer | Value |\n| --- | --- |\n| Navy [1] | $2 |\n| Army \\| Air | **3** |"],
    ["emphasis", "**Bold**, *italic*, ***both***, ~~gone~~ and `code`."],
    ["a link", "See [SAM](https://sam.gov/a_b) for it."],
    ["a quote and a rule", "> We serve.\n\n---\n\nText."],
    ["code", "```sql\nSELECT *\n  FROM x\n```"],
    ["a line break", "one\\\ntwo"],
    ["a table after a list", "- one\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"],
  ])("%s", (_what, text) => {
    expect(again(text)).toBe(text);
  });
});

describe("other notations are normalized, and then stay the same", () => {
  it.each(["* a\n* b", "1) a\n2) b", "9. nine\n10. ten", "a\nb", "Setext\n---", "|a|b|\n|-|-|\n|1|2|", "__bold__ _it_", "- a\n\n- b", "text [1, 2] and [1;2]", "+ x", "    code"])("%j", (text) => {
    const once = again(text);
    expect(again(once)).toBe(once);
    expect(shown(once)).toBe(shown(text));
  });
});

describe("typed characters are literal text", () => {
  it.each([
    ...["# no heading", "- no list", "+ no list", "1. no list", "1) no list", "> no quote", "*no* _emphasis_ **at** all", "`no code`", "~~no strike~~"],
    ...["[7] is no source", "[1] typed", "[a](b)", "[a]: b", "![a](b)", "<b>no HTML</b>", "<https://x.example>", "&lt; &amp; &#65;", "a\\b", "\\*", "| a | b |"],
    ...["===", "---", "***", "___", "snake_case_name", "2 * 3 * 4", "a ~ b", "C# #", "100 %", "AT&T", "\"quotes\" – dash", "1.", "=", "|"],
  ])("%j", (text) => {
    expect(shown(typed(text))).toBe(text);
    expect(parseMarkdown(typed(text), KNOWN).childCount).toBe(1);
    expect(parseMarkdown(typed(text), KNOWN).firstChild?.type.name).toBe("paragraph");
  });

  it("and become a citation only if the draft has the source", () => {
    expect(again("Known [1], unknown [7], both [1, 7].")).toBe("Known [1], unknown \\[7\\], both \\[1, 7\\].");
  });

  it("next to a citation, too", () => {
    const doc = parseMarkdown("x [1]", KNOWN);
    const paragraph = doc.firstChild;
    if (paragraph === null) throw new Error("There is no paragraph.");
    const text = writeMarkdown(doc.copy(doc.content.replaceChild(0, paragraph.copy(paragraph.content.addToEnd(doc.type.schema.text("(see below)"))))));
    expect(text).toBe("x [1]\\(see below)");
    expect(shown(text)).toBe("x (see below)");
  });
});

describe("any combination of these parts is the same after reading and writing", () => {
  const PIECES = ["roofs", "**bold**", "*it*", "[1]", "[12]", "`a|b`", "5 < 6", "[x](https://x.example)", "\\[7\\]", "~~old~~", "a \\* b", "&amp;"];
  const inline = (seed: number): string => Array.from({ length: 1 + (seed % 5) }, (_, index) => PIECES[(seed * 7 + index * 5) % PIECES.length]).join(" ");
  const BLOCKS = [
    (seed: number) => inline(seed),
    (seed: number) => `### ${inline(seed)}`,
    (seed: number) => `- ${inline(seed)}\n- ${inline(seed + 1)}\n  - ${inline(seed + 2)}`,
    (seed: number) => `1. ${inline(seed)}\n2. ${inline(seed + 3)}`,
    (seed: number) => `| ${inline(seed).replaceAll("|", "\\|")} | b |\n| --- | --- |\n| 1 | ${inline(seed + 1).replaceAll("|", "\\|")} |`,
    (seed: number) => `> ${inline(seed)}`,
  ];

  it.each(Array.from({ length: 200 }, (_, seed) => seed))("seed %i", (seed) => {
    const text = Array.from({ length: 1 + (seed % 4) }, (_, index) => BLOCKS[(seed + index * 3) % BLOCKS.length]?.(seed + index)).join("\n\n");
    const once = again(text);
    expect(again(once)).toBe(once);
    expect(parseMarkdown(once, KNOWN).eq(parseMarkdown(text, KNOWN))).toBe(true);
  });
});
