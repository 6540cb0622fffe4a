import { memo, type ReactNode } from "react";
import type { LinkCell, TableColumn, TableProps } from "../../generated/widgets";

type Cell = string | LinkCell;

interface RowProps {
  readonly cells: readonly Cell[];
  readonly columns: readonly TableColumn[];
}

/** A table of texts and links. The server paints the same (components/fundwright_ui/widgets/table.py). */
export function Table({ label, columns, rows, emptyText }: TableProps): ReactNode {
  if (rows.length === 0 && emptyText !== "") return <p className="fw-muted">{emptyText}</p>;
  return (
    <div className="fw-table-scroll">
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
        <tbody>
          {rows.map((cells, index) => (
            <Row key={index} cells={cells} columns={columns} />
          ))}
        </tbody>
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
}, showsTheSame);

// Rows arrive as new objects with each change.
function showsTheSame(before: RowProps, after: RowProps): boolean {
  return (
    before.columns === after.columns &&
    before.cells.length === after.cells.length &&
    before.cells.every((cell, index) => isSame(cell, after.cells[index]))
  );
}

function isSame(before: Cell, after: Cell | undefined): boolean {
  if (typeof before === "string" || typeof after !== "object") return before === after;
  return before.label === after.label && before.href === after.href;
}

function look(column: TableColumn): string | undefined {
  return column.isNumber ? "fw-number" : undefined;
}

function content(cell: Cell | undefined): ReactNode {
  return typeof cell === "object" ? <a href={cell.href}>{cell.label}</a> : cell;
}
