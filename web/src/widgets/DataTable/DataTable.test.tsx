import { fireEvent, screen, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import type { Column, DataTableProps, Row } from "../../generated/widgets";
import { WidgetRegistry } from "../../runtime/widgets";
import { openPage } from "../../test/openPage";
import { renderWidget } from "../../test/renderWidget";
import { Cards } from "./Cards";
import { DataTable } from "./DataTable";
import { formatCell } from "./format";

function column(field: string, kind: Column["kind"], more: Partial<Column> = {}): Column {
  return { field, label: field, kind, isSortable: true, isCompact: true, flex: 1, minWidth: 100, currency: "USD", hrefBase: "", ...more };
}

const columns = [column("title", "link"), column("due", "date"), column("ceiling", "money", { isCompact: false })];
const rows: Row[] = [1, 2].map((number) => ({
  id: String(number),
  cells: { title: { label: `Notice ${number}`, href: `/dashboard/nih/${number}` }, due: "2026-12-24", ceiling: 125_000 },
}));
const table: DataTableProps = {
  ...{ label: "Opportunities", columns, rows, total: 95, page: 1, pageSize: 10, sort: null },
  ...{ isLoading: false, language: "en", emptyText: "No opportunities." },
};

describe("a wide table", () => {
  it("is a named table with links and the language's numbers and dates", async () => {
    await renderWidget(<DataTable {...table} />);
    const grid = await screen.findByRole("table", { name: "Opportunities" });
    expect((await within(grid).findByRole("link", { name: "Notice 1" })).getAttribute("href")).toBe("/dashboard/nih/1");
    expect(within(grid).getAllByText("Dec 24, 2026")).toHaveLength(2);
    expect(within(grid).getAllByText("$125,000")).toHaveLength(2);
  });

  it("asks the server to sort and to turn the page", async () => {
    const onQuery = vi.fn();
    await renderWidget(<DataTable {...table} onQuery={onQuery} />);
    fireEvent.click(await screen.findByRole("button", { name: "due" }));
    expect(onQuery).toHaveBeenLastCalledWith({ page: 1, pageSize: 10, sort: { field: "due", direction: "asc" } });
    fireEvent.click(screen.getByRole("button", { name: "Next page" }));
    expect(onQuery).toHaveBeenLastCalledWith({ page: 2, pageSize: 10, sort: null });
  });

  it("keeps the first row in sight when the size of pages changes", async () => {
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

  it("makes links of texts and the ids of their rows", async () => {
    const based = [column("title", "link", { hrefBase: "/dashboard/sam/" })];
    await renderWidget(<DataTable {...table} columns={based} rows={[{ id: "7", cells: { title: "Notice 7" } }]} />);
    expect(screen.getByRole("link", { name: "Notice 7" }).getAttribute("href")).toBe("/dashboard/sam/7");
  });

  it("keeps the elements of rows that stay", async () => {
    const widgets = new WidgetRegistry({ DataTable: () => Promise.resolve({ DataTable }) });
    const page = await openPage({ w: "DataTable", a: { ...table } }, { widgets });
    const link = await screen.findByRole("link", { name: "Notice 2" });
    await page.patch(["attrs", [], structuredClone({ rows: rows.slice(1), columns }), []]);
    expect(screen.getByRole("link", { name: "Notice 2" })).toBe(link);
    expect(screen.queryByRole("link", { name: "Notice 1" })).toBeNull();
  });

  it("leads from row to row by arrow keys", async () => {
    await renderWidget(<DataTable {...table} />);
    screen.getByRole("link", { name: "Notice 1" }).focus();
    fireEvent.keyDown(document.activeElement as Element, { key: "ArrowDown" });
    expect(document.activeElement?.textContent).toBe("Notice 2");
    fireEvent.keyDown(document.activeElement as Element, { key: "ArrowDown" });
    fireEvent.keyDown(document.activeElement as Element, { key: "ArrowUp" });
    expect(document.activeElement?.textContent).toBe("Notice 1");
  });

  it("opens a row without a link by Enter", async () => {
    const onOpen = vi.fn();
    await renderWidget(<DataTable {...table} columns={[column("ceiling", "money")]} onOpen={onOpen} />);
    const row = screen.getAllByRole("row")[2] as HTMLElement;
    expect(row.tabIndex).toBe(0);
    fireEvent.keyDown(row, { key: "Enter" });
    expect(onOpen).toHaveBeenLastCalledWith({ id: "2" });
  });

  it("opens a row by a press, but not beneath a link", async () => {
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

  it("says when there is nothing", async () => {
    await renderWidget(<DataTable {...table} rows={[]} total={0} />);
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

  it("leaves out what a row has nothing of", async () => {
    const bare = { id: "9", cells: { ...(table.rows[0] as Row).cells, due: null } };
    await renderWidget(<Cards {...table} rows={[bare]} total={1} />);
    expect(within(screen.getByRole("listitem")).queryByText("due")).toBeNull();
  });

  it("sorts and turns the page", async () => {
    const onQuery = vi.fn();
    await renderWidget(<Cards {...table} onQuery={onQuery} />);
    fireEvent.change(screen.getByRole("combobox", { name: "Sort by" }), { target: { value: "due desc" } });
    expect(onQuery).toHaveBeenLastCalledWith({ page: 1, pageSize: 10, sort: { field: "due", direction: "desc" } });
    fireEvent.click(screen.getByRole("button", { name: "Next page" }));
    expect(onQuery).toHaveBeenLastCalledWith({ page: 2, pageSize: 10, sort: null });
    expect(screen.getByText("Page 1 of 10")).toBeTruthy();
  });

  it("opens a row whose head is no link", async () => {
    const onOpen = vi.fn();
    await renderWidget(<Cards {...table} columns={[column("due", "date")]} onOpen={onOpen} />);
    fireEvent.click(screen.getAllByRole("button", { name: "Dec 24, 2026" })[1] as HTMLElement);
    expect(onOpen).toHaveBeenCalledWith({ id: "2" });
  });
});

describe("formatCell", () => {
  it.each([
    ["number", 1234.5, "de", "1.234,5"],
    ["money", 1234, "en", "$1,234"],
    ["percent", 0.873, "en", "87%"],
    ["date", "2026-12-24", "de", "24.12.2026"],
    ["date", "soon", "en", "soon"],
    ["text", null, "en", ""],
    ["money", "n/a", "en", "n/a"],
  ] as const)("writes %s %s in %s as %s", (kind, value, language, text) => {
    expect(formatCell(value, column("x", kind), language)).toBe(text);
  });
});
