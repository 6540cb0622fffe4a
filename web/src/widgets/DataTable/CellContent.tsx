import { type ReactNode, use } from "react";
import type { TableCell, TableColumn } from "../../generated/widgets";
import { formatDate, MOMENT } from "../../runtime/dates";
import { HydratedContext } from "../../runtime/hydrated";
import { useRuntime } from "../../runtime/Runtime";

// As `_PATHS` of components/fundwright_ui/ui/icons.py has them.
const OPEN_EYE =
  "M12 4.5C7 4.5 2.73 7.61 1 12c1.73 4.39 6 7.5 11 7.5s9.27-3.11 11-7.5c-1.73-4.39-6-7.5-11-7.5zM12 17a5 5 0 1 1 0-10 5 5 0 0 1 0 10zm0-8a3 3 0 1 0 0 6 3 3 0 0 0 0-6z";
const EYE =
  "M12 6a9.77 9.77 0 0 1 8.82 5.5 9.77 9.77 0 0 1-17.64 0A9.77 9.77 0 0 1 12 6m0-2C7 4 2.73 7.11 1 11.5 2.73 15.89 7 19 12 19s9.27-3.11 11-7.5C21.27 7.11 17 4 12 4m0 5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5m0-2a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9";

interface CellContentProps {
  readonly cell: TableCell;
  readonly column: TableColumn;
  readonly id: string;
  /** What the row is called. */
  readonly name: string;
}

/** The content of a cell: a link, chips, a point in time, text with a note, a button, or text. Its table listens to the button (`pressedAction`). */
export function CellContent({ cell, column, id, name }: CellContentProps): ReactNode {
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
  if ("isWatched" in cell) {
    return (
      <button
        type="button"
        className="fw-icon-button fw-icon-button-small"
        aria-label={`${column.label}: ${name}`}
        title={column.label}
        aria-pressed={cell.isWatched}
        data-action={id}
      >
        <svg className="fw-icon" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">
          <path d={cell.isWatched ? OPEN_EYE : EYE} />
        </svg>
      </button>
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

/** The text of a row's first cell. */
export function nameOf(cell: TableCell | undefined): string {
  if (typeof cell === "string") return cell;
  return cell !== undefined && "label" in cell ? cell.label : "";
}

export function isAction(cell: TableCell): boolean {
  return typeof cell === "object" && ("name" in cell || "isWatched" in cell);
}

/** The id of the row whose button was pressed. */
export function pressedAction(target: EventTarget): string | undefined {
  return target instanceof Element ? target.closest<HTMLElement>("[data-action]")?.dataset["action"] : undefined;
}

export function isLink(cell: TableCell, { hrefBase }: TableColumn): boolean {
  return typeof cell === "string" ? cell !== "" && hrefBase !== "" : "href" in cell;
}
