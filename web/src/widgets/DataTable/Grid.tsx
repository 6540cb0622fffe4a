import { type KeyboardEvent, memo, type MouseEvent, type ReactNode, useMemo, useState } from "react";
import type { Column, DataTableProps, Row, Sort } from "../../generated/widgets";
import { CellContent } from "./CellContent";
import { isNumeric } from "./format";
import { Pager } from "./Pager";

/** A table in which the server sorts and pages. A row opens by a press or by Enter; arrow keys lead from row to row. */
export function Grid(props: DataTableProps): ReactNode {
  const { label, columns: given, rows, pageSize, sort, isLoading, language, emptyText, onQuery, onOpen } = props;
  const columns = useUnchanged(given);
  const parts = useMemo(() => shares(columns), [columns]);
  const open = (target: EventTarget): void => {
    const id = target instanceof Element ? target.closest("tr")?.dataset["row"] : undefined;
    if (id !== undefined) onOpen?.({ id });
  };
  const press = ({ target }: MouseEvent): void => {
    if (!isControl(target)) open(target);
  };
  const pressKey = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && event.target instanceof HTMLTableRowElement) open(event.target);
    else moveBetweenRows(event);
  };
  const sortBy = (field: string): void => onQuery?.({ page: 1, pageSize, sort: next(sort, field) });

  return (
    <div className="fw-grid-frame">
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- who has no mouse scrolls it by its arrow keys */}
      <div className="fw-table-scroll" tabIndex={0}>
        <table className="fw-table fw-table-fixed" aria-label={label} aria-busy={isLoading} style={{ minInlineSize: leastWidth(columns, parts) }}>
          <colgroup>
            {columns.map((column, index) => (
              <col key={column.field} style={{ width: `${String((parts[index] ?? 0) * 100)}%` }} />
            ))}
          </colgroup>
          <thead>
            <tr>
              {columns.map((column) => (
                <HeadCell key={column.field} column={column} sort={sort} onSort={onQuery === undefined ? undefined : sortBy} />
              ))}
            </tr>
          </thead>
          {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- keys reach it from the controls of its rows */}
          <tbody onClick={press} onKeyDown={pressKey}>
            {rows.map((row) => (
              <BodyRow key={row.id} row={row} columns={columns} language={language} canOpen={onOpen !== undefined} />
            ))}
          </tbody>
        </table>
        {rows.length === 0 ? <p className="fw-empty">{emptyText}</p> : null}
      </div>
      <Pager {...props} hasSizes />
    </div>
  );
}

interface HeadCellProps {
  readonly column: Column;
  readonly sort: Sort | null;
  readonly onSort: ((field: string) => void) | undefined;
}

function HeadCell({ column: { field, label, kind, isSortable }, sort, onSort }: HeadCellProps): ReactNode {
  const look = isNumeric(kind) ? "fw-number" : undefined;
  if (!isSortable || onSort === undefined) {
    return (
      <th scope="col" className={look}>
        {label}
      </th>
    );
  }
  const direction = sort?.field === field ? sort.direction : undefined;
  return (
    <th scope="col" className={look} aria-sort={direction === undefined ? undefined : direction === "asc" ? "ascending" : "descending"}>
      <button type="button" className="fw-table-sort" onClick={() => onSort(field)}>
        {label}
        <span aria-hidden="true">{direction === undefined ? "" : direction === "asc" ? " ↑" : " ↓"}</span>
      </button>
    </th>
  );
}

interface BodyRowProps {
  readonly row: Row;
  readonly columns: readonly Column[];
  readonly language: string;
  readonly canOpen: boolean;
}

const BodyRow = memo(
  function BodyRow({ row, columns, language, canOpen }: BodyRowProps): ReactNode {
    const needsFocus = canOpen && !columns.some(({ kind }) => kind === "link");
    return (
      <tr data-row={canOpen ? row.id : undefined} tabIndex={needsFocus ? 0 : undefined}>
        {columns.map((column) => (
          <td key={column.field} className={isNumeric(column.kind) ? "fw-number" : undefined}>
            <CellContent value={row.cells[column.field]} column={column} rowId={row.id} language={language} />
          </td>
        ))}
      </tr>
    );
  },
  (before, after) =>
    before.columns === after.columns &&
    before.language === after.language &&
    before.canOpen === after.canOpen &&
    isSame(before.row, after.row),
);

/** A press on a column: ascending, descending, the default order. */
function next(sort: Sort | null, field: string): Sort | null {
  if (sort?.field !== field) return { field, direction: "asc" };
  return sort.direction === "asc" ? { field, direction: "desc" } : null;
}

/** Each change of a table brings its rows as new objects, most of them with the content of before. */
function isSame(before: unknown, after: unknown): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}

function useUnchanged<T>(value: T): T {
  const [kept, keep] = useState(value);
  if (kept === value || isSame(kept, value)) return kept;
  keep(value);
  return value;
}

const USUAL_WIDTH = 1200;

/** Shares of the width: what each column needs, and its part of the rest at the usual width. */
function shares(columns: readonly Column[]): number[] {
  const least = columns.reduce((sum, column) => sum + column.minWidth, 0);
  const parts = columns.reduce((sum, column) => sum + column.flex, 0);
  const width = Math.max(USUAL_WIDTH, least);
  return columns.map(({ minWidth, flex }) => (minWidth + ((width - least) * flex) / parts) / width);
}

/** The width at which the tightest column has what it needs, in pixels. */
function leastWidth(columns: readonly Column[], parts: readonly number[]): number {
  return Math.ceil(Math.max(0, ...columns.map(({ minWidth }, index) => minWidth / (parts[index] ?? 1))));
}

/** Whether something in the row takes the press or the key for itself. */
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
