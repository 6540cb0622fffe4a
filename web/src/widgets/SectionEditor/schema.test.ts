import { DOMParser } from "prosemirror-model";
import { describe, expect, it } from "vitest";
import { schema } from "./schema";

function pastedLinks(html: string): unknown[] {
  const pasted = document.createElement("div");
  pasted.innerHTML = html;
  const links: unknown[] = [];
  DOMParser.fromSchema(schema)
    .parse(pasted)
    .descendants(({ marks }) => {
      links.push(...marks.map(({ attrs }) => attrs["href"] as unknown));
    });
  return links;
}

describe("pasted links", () => {
  it.each(["https://sam.gov/", "http://sam.gov/?q=1", "mailto:us@x.org"])("to %s remain", (href) => {
    expect(pastedLinks(`<p><a href="${href}">x</a></p>`)).toEqual([href]);
  });

  it.each(["mailto:us@x.org?bcc=them@y.org", "javascript:alert(1)", "/files/1"])("to %s become text", (href) => {
    expect(pastedLinks(`<p><a href="${href}">x</a></p>`)).toEqual([]);
  });
});
