import { type KeyboardEvent, memo, type MouseEvent, type ReactNode, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { DataTableProps, Sort, TableCell } from "../../generated/widgets";
import { CellContent, isLink, isText, nameOf, pressedAction } from "./CellContent";
import type { ShownColumn, TableProps } from "./columns";
import { Pager } from "./Pager";

/** A table that the server sorts and pages. A click or Enter opens a row; arrow keys move between rows. */
export function Grid(props: TableProps): ReactNode {
  const { label, columns, widths, rows, pageSize, sort, isLoading, isDense, emptyText, onQuery } = props;
  const sortBy = (field: string): void => onQuery?.({ page: 1, pageSize, sort: next(sort, field) });
  return (
    <div className="fw-grid-frame">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- people without a mouse scroll it with the arrow keys */}
      <div className="fw-table-scroll" tabIndex={0}>
        <table className={`fw-table fw-table-fixed${isDense ? " fw-table-dense" : ""}`} aria-label={label} aria-busy={isLoading}>
          <colgroup>
            {columns.map((column, index) => (
              <col key={column.field} width={widths[index] ?? undefined} className={classNameOf(column)} />
            ))}
          </colgroup>
          <thead>
            <tr>
              {columns.map((column) => (
                <HeadCell key={column.field} column={column} sort={sort} onSort={onQuery === undefined ? undefined : sortBy} />
              ))}
            </tr>
          </thead>
          <Body {...props} />
        </table>
        {rows.length === 0 ? <p className="fw-empty">{emptyText}</p> : null}
      </div>
      <Pager {...props} hasSizes />
    </div>
  );
}

interface HeadCellProps {
  readonly column: ShownColumn;
  readonly sort: Sort | null;
  readonly onSort: ((field: string) => void) | undefined;
}

function HeadCell({ column, sort, onSort }: HeadCellProps): ReactNode {
  const { field, label, isSortable } = column;
  if (!isSortable || onSort === undefined) {
    return (
      <th scope="col" className={classNameOf(column)}>
        {label}
      </th>
    );
  }
  const direction = sort?.field === field ? sort.direction : undefined;
  return (
    <th scope="col" className={classNameOf(column)} aria-sort={direction === undefined ? undefined : direction === "asc" ? "ascending" : "descending"}>
      <button type="button" className="fw-table-sort" onClick={() => onSort(field)}>
        {label}
        <span aria-hidden="true">{direction === undefined ? "" : direction === "asc" ? " ↑" : " ↓"}</span>
      </button>
    </th>
  );
}

type Content = Pick<TableProps, "columns" | "rows" | "ids">;

/** React renders the cells. Text that changes is written directly into its cell, because React would create and compare all cells. */
function Body({ columns, rows, ids, onOpen, onAction }: TableProps): ReactNode {
  const body = useRef<HTMLTableSectionElement>(null);
  const [drawn, setDrawn] = useState<Content>({ columns, rows, ids });
  if (drawn.rows !== rows && !differOnlyInText(drawn, { columns, rows, ids })) setDrawn({ columns, rows, ids });
  const canOpen = onOpen !== undefined;
  const bodyRows = useMemo(
    () =>
      drawn.rows.map((cells, index) => {
        const id = drawn.ids[index] ?? "";
        return <BodyRow key={id} id={id} cells={cells} columns={drawn.columns} canOpen={canOpen} />;
      }),
    [drawn, canOpen],
  );
  useLayoutEffect(() => {
    if (body.current !== null) writeTexts(body.current, rows, columns);
  }, [rows, columns]);

  const open = (target: EventTarget): void => {
    const id = target instanceof Element ? target.closest("tr")?.dataset["row"] : undefined;
    if (id !== undefined) onOpen?.({ id });
  };
  const press = ({ target }: MouseEvent): void => {
    const id = pressedAction(target);
    if (id !== undefined) {
      onAction?.({ id });
      if (target instanceof Element) target.closest("tr")?.focus();
    } else if (!isControl(target)) open(target);
  };
  const pressKey = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && event.target instanceof HTMLTableRowElement) open(event.target);
    else moveBetweenRows(event);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/mouse-events-have-key-events -- keys reach it from the controls of its rows; screen readers read cut text
    <tbody ref={body} onClick={press} onKeyDown={pressKey} onMouseOver={showWhole}>
      {bodyRows}
    </tbody>
  );
}

interface BodyRowProps {
  readonly id: string;
  readonly cells: readonly TableCell[];
  readonly columns: readonly ShownColumn[];
  readonly canOpen: boolean;
}

const BodyRow = memo(
  function BodyRow({ id, cells, columns, canOpen }: BodyRowProps): ReactNode {
    const needsFocus = canOpen && !cells.some((cell, index) => isLink(cell, columns[index] as ShownColumn));
    return (
      <tr data-row={canOpen ? id : undefined} tabIndex={needsFocus ? 0 : undefined}>
        {columns.map((column, index) => (
          <td key={column.field} className={classNameOf(column)}>
            {CellContent({ cell: cells[index] ?? "", column, id, name: nameOf(cells[0]) })}
          </td>
        ))}
      </tr>
    );
  },
  (before, after) =>
    before.canOpen === after.canOpen && before.columns === after.columns && areTheSame(before.cells, after.cells, after.columns),
);

/** Whether two contents differ in text only, which is written into the cells. Rows arrive as new objects with each change. */
function differOnlyInText(before: Content, after: Content): boolean {
  return (
    before.columns === after.columns &&
    (before.ids === after.ids || (before.ids.length === after.ids.length && before.ids.every((id, index) => id === after.ids[index]))) &&
    before.rows.every((cells, index) => areTheSame(cells, after.rows[index] ?? [], after.columns))
  );
}

function areTheSame(before: readonly TableCell[], after: readonly TableCell[], columns: readonly ShownColumn[]): boolean {
  return columns.every((column, index) => {
    const [old, cell] = [before[index], after[index]];
    if (typeof old === "string" && typeof cell === "string") return old === cell || (isText(old, column) && isText(cell, column));
    return JSON.stringify(old) === JSON.stringify(cell);
  });
}

function writeTexts(body: HTMLTableSectionElement, rows: DataTableProps["rows"], columns: readonly ShownColumn[]): void {
  let row = body.firstElementChild;
  for (const cells of rows) {
    let place = row?.firstElementChild;
    for (const [index, column] of columns.entries()) {
      const cell = cells[index];
      if (place && isText(cell, column)) write(place, cell);
      place = place?.nextElementSibling;
    }
    row = row?.nextElementSibling ?? null;
  }
}

function write(place: Element, text: string): void {
  const node = place.firstChild;
  if (node === null ? text === "" : node.nodeValue === text) return;
  if (node instanceof Text && text !== "") node.nodeValue = text;
  else place.textContent = text;
}

/** Lets the pointer show the text of a cell that is cut. */
function showWhole({ target }: MouseEvent): void {
  const cell = target instanceof Element ? target.closest("td") : null;
  if (cell === null) return;
  const isCut = [cell, ...cell.querySelectorAll("*")].some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth && clientWidth > 0);
  if (isCut) cell.title = cell.textContent;
  else cell.removeAttribute("title");
}

function classNameOf({ isNumber, isWide, isCompact }: ShownColumn): string | undefined {
  return [isNumber ? "fw-number" : "", isWide ? "fw-wide" : "", isCompact ? "" : "fw-spare"].filter(Boolean).join(" ") || undefined;
}

/** The order after a click on a column header: ascending, then descending, then the default. */
function next(sort: Sort | null, field: string): Sort | null {
  if (sort?.field !== field) return { field, direction: "asc" };
  return sort.direction === "asc" ? { field, direction: "desc" } : null;
}

/** Whether the target is a control that handles the click or the key itself. */
function isControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest("a, button, input") !== null;
}

function moveBetweenRows(event: KeyboardEvent): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const row = event.target instanceof Element ? event.target.closest("tr") : null;
  const other = event.key === "ArrowDown" ? row?.nextElementSibling : row?.previousElementSibling;
  if (!(other instanceof HTMLElement)) return;
  event.preventDefault();
  (other.tabIndex === 0 ? other : other.querySelector<HTMLElement>("a, button"))?.focus();
}
