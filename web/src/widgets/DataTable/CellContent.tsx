import { type ReactNode, use } from "react";
import type { TableCell, TableColumn } from "../../generated/widgets";
import { formatDate, MOMENT } from "../../runtime/dates";
import { HydratedContext } from "../../runtime/hydrated";
import { useRuntime } from "../../runtime/Runtime";

interface CellContentProps {
  readonly cell: TableCell;
  readonly column: TableColumn;
  readonly id: string;
}

/** The content of a cell: a link, chips, a point in time, text with a note, a button, or text. Its table listens to the button (`pressedAction`). */
export function CellContent({ cell, column, id }: CellContentProps): ReactNode {
  if (isText(cell, column)) return cell;
  if (typeof cell === "string") return column.isMoment ? <CellMoment at={cell} /> : <a href={column.hrefBase + id}>{cell}</a>;
  if ("href" in cell) return <a href={cell.href}>{cell.label}</a>;
  if ("note" in cell) {
    return (
      <span className={`fw-note-${cell.color}`} title={cell.note}>
        {cell.label}
      </span>
    );
  }
  if ("detail" in cell) {
    return (
      <>
        {cell.label}
        <span className="fw-cell-detail">{cell.detail}</span>
      </>
    );
  }
  if ("name" in cell) {
    return (
      <button type="button" className="fw-button fw-button-outlined fw-button-small" aria-label={cell.name} data-action={id}>
        {cell.label}
      </button>
    );
  }
  return (
    <span className="fw-chips">
      {cell.map(({ label, color, isLocked }) => (
        <span key={label} className={`fw-chip fw-chip-${color}${isLocked ? " fw-chip-locked" : ""}`}>
          {label}
        </span>
      ))}
    </span>
  );
}

/** A point in time. The server renders it in UTC; after hydration, the reader's time replaces it. */
function CellMoment({ at }: { readonly at: string }): ReactNode {
  const { page } = useRuntime();
  return (
    <time key={String(use(HydratedContext))} dateTime={at} data-moment="datetime" suppressHydrationWarning>
      {formatDate(at, page.language, MOMENT.datetime)}
    </time>
  );
}

/** Whether a cell contains only text. */
export function isText(cell: TableCell | undefined, { hrefBase, isMoment }: TableColumn): cell is string {
  return cell === "" || (typeof cell === "string" && hrefBase === "" && !isMoment);
}

export function isAction(cell: TableCell): boolean {
  return typeof cell === "object" && "name" in cell;
}

/** The id of the row whose button was pressed. */
export function pressedAction(target: EventTarget): string | undefined {
  return target instanceof Element ? target.closest<HTMLElement>("[data-action]")?.dataset["action"] : undefined;
}

export function isLink(cell: TableCell, { hrefBase }: TableColumn): boolean {
  return typeof cell === "string" ? cell !== "" && hrefBase !== "" : "href" in cell;
}
