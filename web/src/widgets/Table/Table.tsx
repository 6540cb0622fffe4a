import { memo, type ReactNode, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { LinkCell, TableColumn, TableProps } from "../../generated/widgets";

type Cell = string | LinkCell;

interface RowProps {
  readonly cells: readonly Cell[];
  readonly columns: readonly TableColumn[];
}

/**
 * A table of texts and links. The server paints the same (components/fundwright_ui/widgets/table.py). React draws which cells there
 * are; a text that changes is written into its cell, because React would make and compare all cells of the row for it.
 */
export function Table({ label, columns, rows, emptyText }: TableProps): ReactNode {
  const body = useRef<HTMLTableSectionElement>(null);
  const written = useRef(rows);
  const [drawn, setDrawn] = useState(rows);
  if (drawn !== rows && !areTheSame(drawn, rows)) setDrawn(rows);
  const drawnRows = useMemo(() => drawn.map((cells, index) => <Row key={index} cells={cells} columns={columns} />), [drawn, columns]);
  useLayoutEffect(() => {
    if (body.current !== null) writeTexts(body.current, written.current, rows);
    written.current = rows;
  }, [rows]);
  if (rows.length === 0 && emptyText !== "") return <p className="fw-muted">{emptyText}</p>;
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- who has no mouse scrolls it by its arrow keys
    <div className="fw-table-scroll" tabIndex={0}>
      <table className="fw-table" aria-label={label}>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th key={index} scope="col" className={look(column)}>
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>{drawnRows}</tbody>
      </table>
    </div>
  );
}

const Row = memo(function Row({ cells, columns }: RowProps): ReactNode {
  return (
    <tr>
      {columns.map((column, index) => (
        <td key={index} className={look(column)}>
          {content(cells[index])}
        </td>
      ))}
    </tr>
  );
}, (before, after) => before.columns === after.columns && showTheSame(before.cells, after.cells));

function areTheSame(before: TableProps["rows"], after: TableProps["rows"]): boolean {
  return before.length === after.length && before.every((cells, index) => showTheSame(cells, after[index] ?? []));
}

/** Texts aside. Rows arrive as new objects with each change. */
function showTheSame(before: readonly Cell[], after: readonly Cell[]): boolean {
  return before.length === after.length && before.every((cell, index) => isSame(cell, after[index]));
}

function isSame(before: Cell, after: Cell | undefined): boolean {
  if (typeof before === "string" || typeof after !== "object") return typeof before === typeof after;
  return before.label === after.label && before.href === after.href;
}

/** Compares with what was written last, not with what React drew last: that may be older. */
function writeTexts(body: HTMLTableSectionElement, before: TableProps["rows"], after: TableProps["rows"]): void {
  let row = body.firstElementChild;
  for (const [number, cells] of after.entries()) {
    let place = row?.firstElementChild;
    for (const [index, cell] of cells.entries()) {
      if (place && typeof cell === "string" && cell !== before[number]?.[index]) write(place, cell);
      place = place?.nextElementSibling;
    }
    row = row?.nextElementSibling ?? null;
  }
}

function write(place: Element, text: string): void {
  if (place.firstChild instanceof Text) place.firstChild.nodeValue = text;
  else place.textContent = text;
}

function look(column: TableColumn): string | undefined {
  return column.isNumber ? "fw-number" : undefined;
}

function content(cell: Cell | undefined): ReactNode {
  return typeof cell === "object" ? <a href={cell.href}>{cell.label}</a> : cell;
}
