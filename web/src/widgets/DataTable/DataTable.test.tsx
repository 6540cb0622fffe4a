import { fireEvent, screen, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import type { DataTableProps, TableCell } from "../../generated/widgets";
import { WidgetRegistry } from "../../runtime/widgets";
import { openPage } from "../../test/openPage";
import { renderWidget } from "../../test/renderWidget";
import { Cards } from "./Cards";
import type { ShownColumn } from "./columns";
import { DataTable } from "./DataTable";

function column(field: string, more: Partial<ShownColumn> = {}): ShownColumn {
  return { field, label: field, isNumber: false, isMoment: false, isSortable: true, isCompact: true, isWide: false, hrefBase: "", ...more };
}

const columns = [column("title"), column("due"), column("ceiling", { isNumber: true, isCompact: false })];
const ids = ["1", "2"];
const rows: TableCell[][] = ids.map((id) => [{ label: `Notice ${id}`, href: `/dashboard/nih/${id}` }, "Dec 24, 2026", "$125,000"]);
const table: DataTableProps & { columns: readonly ShownColumn[] } = {
  ...{ label: "Opportunities", columns, widths: [120, 120, 120], rows, ids, total: 95, page: 1, pageSize: 10, sort: null },
  ...{ shown: [0, 1, 2, 3], compact: [0, 1], wide: [], isLoading: false, isDense: false, emptyText: "No opportunities." },
};

async function loaded(): Promise<WidgetRegistry> {
  const widgets = new WidgetRegistry({ DataTable: () => Promise.resolve({ DataTable }) }, ["DataTable"]);
  await widgets.loadAll({ w: "DataTable" });
  return widgets;
}

// The same as in tests/ui/widgets/test_data_table.py.
const grants = {
  ...table,
  label: "Grants",
  columns: [
    column("title", { label: "Title", hrefBase: "/grants/" }),
    column("amount", { label: "Amount", isNumber: true, isSortable: false }),
    column("marks", { label: "Marks", isSortable: false }),
    column("at", { label: "Changed", isMoment: true, isSortable: false }),
  ],
  widths: [null, 72, 72, 240],
  rows: [["Roofs & walls", "1,200", [{ label: "Open", color: "primary", isLocked: false }], "2026-05-01T12:30:00+00:00"], [{ label: "Walls", detail: "walls.pdf" }, { label: "9 days", note: "May 10, 2026", color: "error" }, { label: "Edit", name: "Edit walls" }, { isWatched: false }]],
  ...{ compact: [0, 1, 2, 3], isDense: true, total: 52, pageSize: 25, sort: { field: "title", direction: "desc" } },
};
const painted = `<div data-widget="DataTable"><div class="fw-grid-frame"><div class="fw-table-scroll" tabindex="0"><table class="fw-table fw-table-fixed fw-table-dense" aria-label="Grants" aria-busy="false"><colgroup><col><col width="72" class="fw-number"><col width="72"><col width="240"></colgroup><thead><tr><th scope="col" aria-sort="descending"><button type="button" class="fw-table-sort">Title<span aria-hidden="true"> ↓</span></button></th><th scope="col" class="fw-number">Amount</th><th scope="col">Marks</th><th scope="col">Changed</th></tr></thead><tbody><tr data-row="1"><td><a href="/grants/1">Roofs &amp; walls</a></td><td class="fw-number">1,200</td><td><span class="fw-chips"><span class="fw-chip fw-chip-primary">Open</span></span></td><td><time datetime="2026-05-01T12:30:00+00:00" data-moment="datetime">May 1, 2026, 12:30\u202fPM UTC</time></td></tr><tr data-row="2" tabindex="0"><td>Walls<span class="fw-cell-detail">walls.pdf</span></td><td class="fw-number"><span class="fw-note-error" title="May 10, 2026">9 days</span></td><td><button type="button" class="fw-button fw-button-outlined fw-button-small" aria-label="Edit walls" data-action="2">Edit</button></td><td><button type="button" class="fw-icon-button fw-icon-button-small" aria-label="Changed: Walls" title="Changed" aria-pressed="false" data-action="2"><svg class="fw-icon" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true"><path d="M12 6a9.77 9.77 0 0 1 8.82 5.5 9.77 9.77 0 0 1-17.64 0A9.77 9.77 0 0 1 12 6m0-2C7 4 2.73 7.11 1 11.5 2.73 15.89 7 19 12 19s9.27-3.11 11-7.5C21.27 7.11 17 4 12 4m0 5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5m0-2a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9"></path></svg></button></td></tr></tbody></table></div><div class="fw-pagination" role="group" aria-label="Pages"><label class="fw-pagination-sizes"><span>Rows per page</span><select class="fw-input fw-input-small"><option value="10">10</option><option value="25" selected="">25</option><option value="50">50</option><option value="100">100</option></select></label><button type="button" class="fw-pagination-item" disabled="" aria-label="Previous page">‹</button><span>Page 1 of 3</span><button type="button" class="fw-pagination-item" aria-label="Next page">›</button></div></div></div>`;

describe("a server-rendered table", () => {
  it("hydrates the server's HTML and changes only the time zone", async () => {
    const e = { onQuery: { h: "q" }, onOpen: { h: "o" } };
    const widgets = await loaded();
    const mismatches = vi.spyOn(console, "error");
    const page = openPage({ w: "DataTable", a: grants, e }, { html: painted, widgets, isMounted: false, page: { timeZone: "America/New_York" } });
    const link = screen.getByText("Roofs & walls");
    await page;
    expect(screen.getByRole("link", { name: "Roofs & walls" })).toBe(link);
    expect(mismatches).not.toHaveBeenCalled();
    expect(screen.getByText(/May 1, 2026, 8:30/).getAttribute("datetime")).toBe("2026-05-01T12:30:00+00:00");
  });
});

describe("a wide table", () => {
  it("is a named table with links and the language's numbers and dates", async () => {
    await renderWidget(<DataTable {...table} />);
    const grid = await screen.findByRole("table", { name: "Opportunities" });
    expect((await within(grid).findByRole("link", { name: "Notice 1" })).getAttribute("href")).toBe("/dashboard/nih/1");
    expect(within(grid).getAllByText("Dec 24, 2026")).toHaveLength(2);
    expect(within(grid).getAllByText("$125,000")).toHaveLength(2);
  });

  it("shows the whole text of a cell that is cut", async () => {
    await renderWidget(<DataTable {...table} />);
    const [cut, whole] = await screen.findAllByRole("cell", { name: "Dec 24, 2026" });
    const size = { scrollWidth: 90, clientWidth: 60 };
    for (const [name, value] of Object.entries(size)) Object.defineProperty(cut, name, { value });
    fireEvent.mouseOver(cut as HTMLElement);
    fireEvent.mouseOver(whole as HTMLElement);
    expect([cut?.title, whole?.title]).toEqual(["Dec 24, 2026", ""]);
  });

  it("requests sorting and other pages from the server", async () => {
    const onQuery = vi.fn();
    await renderWidget(<DataTable {...table} onQuery={onQuery} />);
    fireEvent.click(await screen.findByRole("button", { name: "due" }));
    expect(onQuery).toHaveBeenLastCalledWith({ page: 1, pageSize: 10, sort: { field: "due", direction: "asc" } });
    fireEvent.click(screen.getByRole("button", { name: "Next page" }));
    expect(onQuery).toHaveBeenLastCalledWith({ page: 2, pageSize: 10, sort: null });
  });

  it("shows the page that contains the first row after the page size changes", async () => {
    const onQuery = vi.fn();
    await renderWidget(<DataTable {...table} page={4} onQuery={onQuery} />);
    fireEvent.change(await screen.findByRole("combobox", { name: "Rows per page" }), { target: { value: "25" } });
    expect(onQuery).toHaveBeenLastCalledWith({ page: 2, pageSize: 25, sort: null });
  });

  it.each([
    [null, "asc", undefined],
    ["asc", "desc", "ascending"],
    ["desc", null, "descending"],
  ] as const)("whose order is %s sorts %s next", async (now, wanted, said) => {
    const onQuery = vi.fn();
    const sort = (direction: "asc" | "desc" | null) => (direction === null ? null : { field: "due", direction });
    await renderWidget(<DataTable {...table} onQuery={onQuery} sort={sort(now)} />);
    const head = screen.getByRole("columnheader", { name: /^due/ });
    expect(head.getAttribute("aria-sort") ?? undefined).toBe(said);
    fireEvent.click(within(head).getByRole("button"));
    expect(onQuery).toHaveBeenLastCalledWith({ page: 1, pageSize: 10, sort: sort(wanted) });
  });

  it.each([DataTable, Cards])("calls the server for the button of a row and does not open the row", async (Table) => {
    const [onOpen, onAction] = [vi.fn(), vi.fn()];
    const actions = [column("due"), column("action")];
    const cells = ids.map((id): TableCell[] => [`Dec ${id}`, { label: "Restore", name: `Restore ${id}` }]);
    await renderWidget(<Table {...table} columns={actions} rows={cells} onOpen={onOpen} onAction={onAction} />);
    fireEvent.click(screen.getByRole("button", { name: "Restore 2" }));
    expect(onAction.mock.calls).toEqual([[{ id: "2" }]]);
    expect(onOpen).not.toHaveBeenCalled();
  });

  it("makes links from texts and the ids of their rows", async () => {
    const based = [column("title", { hrefBase: "/dashboard/sam/" })];
    await renderWidget(<DataTable {...table} columns={based} rows={[["Notice 7"]]} ids={["7"]} />);
    expect(screen.getByRole("link", { name: "Notice 7" }).getAttribute("href")).toBe("/dashboard/sam/7");
  });

  it("shows only the columns of this page", async () => {
    const page = await openPage({ w: "DataTable", a: { ...table, shown: [0, 2], rows: [["a", "$1"], ["b", "$2"]] } }, { widgets: await loaded() });
    const shown = (): string[] => screen.getAllByRole("columnheader").map(({ textContent }) => textContent ?? "");
    expect(shown()).toEqual(["title", "ceiling"]);
    await page.patch(["attrs", [], { shown: [0, 1], wide: [1] }, []]);
    expect(shown()).toEqual(["title", "due"]);
    expect(screen.getByRole("columnheader", { name: "due" }).className).toBe("fw-wide");
    await page.patch(["attrs", [], { compact: [0], wide: [] }, []]);
    expect(screen.getByRole("columnheader", { name: "due" }).className).toBe("fw-spare"); // left out beside a panel
  });

  it("restores shortened ids", async () => {
    const based = [column("title", { hrefBase: "/dashboard/sam/" })];
    await renderWidget(<DataTable {...table} columns={based} rows={[["Notice 7"]]} ids={["~n2potxAIST6KFArRRH6P_-"]} />);
    const address = screen.getByRole("link", { name: "Notice 7" }).getAttribute("href");
    expect(address).toBe("/dashboard/sam/9f6a68b7-1008-493e-8a14-0ad1447e8fff");
  });

  it("keeps the elements of rows that stay", async () => {
    const page = await openPage({ w: "DataTable", a: { ...table } }, { widgets: await loaded() });
    const link = screen.getByRole("link", { name: "Notice 2" });
    await page.patch(["attrs", [], structuredClone({ rows: rows.slice(1), ids: ids.slice(1), columns }), []]);
    expect(screen.getByRole("link", { name: "Notice 2" })).toBe(link);
    expect(screen.queryByRole("link", { name: "Notice 1" })).toBeNull();
  });

  it("shows each of many changes", async () => {
    const page = await openPage({ w: "DataTable", a: { ...table, columns: columns.slice(0, 2) } }, { widgets: await loaded() });
    const link = (label: string) => ({ label, href: "/grants" });
    const based = [column("title", { hrefBase: "/grants/" }), column("due")];
    const steps: Partial<DataTableProps>[] = [
      { rows: [["a", "1"], ["b", "2"]] },
      { rows: [["c", "1"], ["", "2"]] },
      { rows: [["a", "1"], ["b", "3"]], columns: based },
      { rows: [[link("d"), "1"], ["b", ""]] },
      { rows: [["b", "4"], ["d", "5"]], ids: ["2", "1"] },
      { rows: [["a", "4"]], ids: ["1"], columns: columns.slice(0, 2) },
      { rows: [["a", "4"], ["e", link("f")]], ids },
      { rows: [["c", link("4")], ["b", "3"], ["g", "5"]], ids: ["3", "1", "2"] },
      { rows: [["a", "1"], ["b", "3"], ["", ""]] },
    ];
    for (const step of steps) {
      await page.patch(["attrs", [], { ...step }, []]);
      const shown = (step.rows ?? []).flat().map((cell) => (typeof cell === "string" ? cell : "label" in cell ? cell.label : ""));
      expect(screen.getAllByRole("cell").map(({ textContent }) => textContent)).toEqual(shown);
    }
  });

  it("moves between rows with the arrow keys", async () => {
    await renderWidget(<DataTable {...table} />);
    screen.getByRole("link", { name: "Notice 1" }).focus();
    fireEvent.keyDown(document.activeElement as Element, { key: "ArrowDown" });
    expect(document.activeElement?.textContent).toBe("Notice 2");
    fireEvent.keyDown(document.activeElement as Element, { key: "ArrowDown" });
    fireEvent.keyDown(document.activeElement as Element, { key: "ArrowUp" });
    expect(document.activeElement?.textContent).toBe("Notice 1");
  });

  it("opens a row without a link with Enter", async () => {
    const onOpen = vi.fn();
    await renderWidget(<DataTable {...table} columns={[column("ceiling")]} rows={[["$1"], ["$2"]]} onOpen={onOpen} />);
    const row = screen.getAllByRole("row")[2] as HTMLElement;
    expect(row.tabIndex).toBe(0);
    fireEvent.keyDown(row, { key: "Enter" });
    expect(onOpen).toHaveBeenLastCalledWith({ id: "2" });
  });

  it("opens a row with a click, but not if the click is on a link", async () => {
    const onOpen = vi.fn();
    await renderWidget(<DataTable {...table} onOpen={onOpen} />);
    const [cell] = await screen.findAllByText("$125,000");
    fireEvent.click(cell as HTMLElement);
    expect(onOpen).toHaveBeenCalledWith({ id: "1" });
    fireEvent.click(screen.getAllByText("$125,000")[1] as HTMLElement);
    expect(onOpen).toHaveBeenLastCalledWith({ id: "2" });
    screen.getByRole("link", { name: "Notice 1" }).addEventListener("click", (event) => event.preventDefault());
    fireEvent.click(screen.getByRole("link", { name: "Notice 1" }));
    expect(onOpen).toHaveBeenCalledTimes(2);
  });

  it("shows a message when it is empty", async () => {
    await renderWidget(<DataTable {...table} rows={[]} ids={[]} total={0} />);
    expect(await screen.findByText("No opportunities.")).toBeTruthy();
  });
});

describe("a narrow table", () => {
  it("shows the compact columns as cards", async () => {
    await renderWidget(<Cards {...table} />);
    const [first] = screen.getAllByRole("listitem");
    expect(within(first as HTMLElement).getByRole("link", { name: "Notice 1" })).toBeTruthy();
    expect(first?.textContent).toContain("Dec 24, 2026");
    expect(first?.textContent).not.toContain("$125,000");
  });

  it("leaves out empty cells", async () => {
    await renderWidget(<Cards {...table} rows={[["Notice 9", "", "$1"]]} ids={["9"]} total={1} />);
    expect(within(screen.getByRole("listitem")).queryByText("due")).toBeNull();
  });

  it("changes the page", async () => {
    const onQuery = vi.fn();
    await renderWidget(<Cards {...table} onQuery={onQuery} />);
    fireEvent.click(screen.getByRole("button", { name: "Next page" }));
    expect(onQuery).toHaveBeenLastCalledWith({ page: 2, pageSize: 10, sort: null });
    expect(screen.getByText("Page 1 of 10")).toBeTruthy();
  });

  it("opens a row whose heading is not a link", async () => {
    const onOpen = vi.fn();
    await renderWidget(<Cards {...table} columns={[column("due")]} rows={[["Dec 23, 2026"], ["Dec 24, 2026"]]} onOpen={onOpen} />);
    fireEvent.click(screen.getByRole("button", { name: "Dec 24, 2026" }));
    expect(onOpen).toHaveBeenCalledWith({ id: "2" });
  });
});
