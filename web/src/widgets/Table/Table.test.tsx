import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { WidgetRegistry } from "../../runtime/widgets";
import { openPage } from "../../test/openPage";
import { Table } from "./Table";

const props = {
  label: "Grants",
  columns: [
    { label: "Title", isNumber: false },
    { label: "Amount", isNumber: true },
  ],
  rows: [
    [{ label: "Roofs", href: "/grants/1" }, "1 200"],
    ["Walls & doors", ""],
  ],
  emptyText: "No grants yet.",
};
const widgets = new WidgetRegistry({}, { Table });

// As tests/ui_runtime/test_table.py has it.
const painted =
  '<div data-widget="Table"><div class="fw-table-scroll" tabindex="0"><table class="fw-table" aria-label="Grants"><thead><tr>' +
  '<th scope="col">Title</th><th scope="col" class="fw-number">Amount</th></tr></thead><tbody>' +
  '<tr><td><a href="/grants/1">Roofs</a></td><td class="fw-number">1 200</td></tr>' +
  '<tr><td>Walls &amp; doors</td><td class="fw-number"></td></tr></tbody></table></div></div>';

describe("Table", () => {
  it("goes on with what the server painted", async () => {
    const page = openPage({ w: "Table", a: props }, { html: painted, widgets, isMounted: false });
    const cell = screen.queryByText("1 200");
    await page;
    expect(screen.getByText("1 200")).toBe(cell ?? screen.getByText("1 200"));
    const table = screen.getByRole("table", { name: "Grants" });
    expect(within(table).getAllByRole("columnheader").map(({ textContent }) => textContent)).toEqual(["Title", "Amount"]);
    expect(within(table).getByRole("link", { name: "Roofs" }).getAttribute("href")).toBe("/grants/1");
  });

  it("changes the cells that changed and keeps the others", async () => {
    const page = await openPage({ w: "Table", a: props }, { html: painted, widgets });
    const link = screen.getByRole("link");
    const rows = [[{ label: "Roofs", href: "/grants/2" }, "1 200"], ["Walls", "7"], ["Floors", "8"]];
    await page.patch(["attrs", [], { rows }, []]);
    expect(screen.getByRole("link")).toBe(link);
    expect(link.getAttribute("href")).toBe("/grants/2");
    expect(screen.getAllByRole("cell").map(({ textContent }) => textContent)).toEqual(["Roofs", "1 200", "Walls", "7", "Floors", "8"]);
  });

  it("shows each of many changes", async () => {
    const page = await openPage({ w: "Table", a: props }, { html: painted, widgets });
    const link = (label: string) => ({ label, href: "/grants" });
    const numbers = props.columns.map(({ label }) => ({ label, isNumber: true }));
    const steps: { readonly rows: readonly (readonly (string | ReturnType<typeof link>)[])[]; readonly columns?: object[] }[] = [
      { rows: [["a", "1"], ["b", "2"]] },
      { rows: [["c", "1"], ["", "2"]] },
      { rows: [["a", "1"], ["b", "3"]], columns: numbers },
      { rows: [[link("d"), "1"], ["b", ""]] },
      { rows: [["a", "4"]] },
      { rows: [["a", "4"], ["e", link("f")]], columns: props.columns },
      { rows: [["c", link("4")], ["b", "3"], ["g", "5"]] },
      { rows: [["a", "1"], ["b", "3"], ["", ""]], columns: numbers },
    ];
    for (const step of steps) {
      await page.patch(["attrs", [], { ...step }, []]);
      const shown = step.rows.flat().map((cell) => (typeof cell === "string" ? cell : cell.label));
      expect(screen.getAllByRole("cell").map(({ textContent }) => textContent)).toEqual(shown);
    }
  });

  it("says that it is empty", async () => {
    const html = '<div data-widget="Table"><p class="fw-muted">No grants yet.</p></div>';
    await openPage({ w: "Table", a: { ...props, rows: [] } }, { html, widgets });
    expect(screen.getByText("No grants yet.")).toBeTruthy();
    expect(screen.queryByRole("table")).toBeNull();
  });
});
