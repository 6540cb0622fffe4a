import type { MouseEvent, ReactNode } from "react";
import type { DataTableProps, TableCell } from "../../generated/widgets";
import { CellContent, isAction, isLink, nameOf, pressedAction } from "./CellContent";
import type { ShownColumn, TableProps } from "./columns";
import { Pager } from "./Pager";

/** The rows as cards for narrow screens, with the compact columns one below the other, or in one line if the list is dense. */
export function Cards(props: TableProps): ReactNode {
  const { label, columns, rows, ids, emptyText, isLoading, isDense, onOpen, onAction } = props;
  const press = ({ target }: MouseEvent): void => {
    const id = pressedAction(target);
    if (id !== undefined) onAction?.({ id });
  };
  return (
    <div role="group" className={isDense ? "fw-cards fw-cards-dense" : "fw-cards"} aria-label={label} aria-busy={isLoading}>
      {rows.length === 0 ? <p className="fw-empty">{emptyText}</p> : null}
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- it listens to the buttons of its rows */}
      <ul onClick={press}>
        {rows.map((cells, index) => (
          <li key={ids[index]} className="fw-cards-item">
            <CardBody id={ids[index] ?? ""} cells={cells} columns={columns} onOpen={onOpen} />
          </li>
        ))}
      </ul>
      <Pager {...props} />
    </div>
  );
}

interface CardBodyProps {
  readonly id: string;
  readonly cells: readonly TableCell[];
  readonly columns: readonly ShownColumn[];
  readonly onOpen: DataTableProps["onOpen"];
}

interface Shown {
  readonly column: ShownColumn;
  readonly cell: TableCell;
}

function CardBody({ id, cells, columns, onOpen }: CardBodyProps): ReactNode {
  const all = columns.map((column, index): Shown => ({ column, cell: cells[index] ?? "" }));
  const compact = all.filter(({ column }) => column.isCompact);
  const [head, ...others] = compact.length > 0 ? compact : all;
  if (head === undefined) return null;
  const name = nameOf(cells[0]);
  const title = <CellContent {...head} id={id} name={name} />;
  return (
    <>
      <p className="fw-cards-title">
        {onOpen === undefined || isLink(head.cell, head.column) ? (
          title
        ) : (
          <button type="button" className="fw-link" onClick={() => onOpen({ id })}>
            {title}
          </button>
        )}
      </p>
      <dl>
        {others.filter(({ cell }) => !isEmpty(cell) && !isAction(cell)).map(({ column, cell }) => (
          <div key={column.field}>
            <dt>{column.label}</dt>
            <dd>
              <CellContent cell={cell} column={column} id={id} name={name} />
            </dd>
          </div>
        ))}
      </dl>
      {others.filter(({ cell }) => isAction(cell)).map((shown) => (
        <p key={shown.column.field} className="fw-cards-action">
          <CellContent {...shown} id={id} name={name} />
        </p>
      ))}
    </>
  );
}

function isEmpty(cell: TableCell): boolean {
  return cell === "" || (Array.isArray(cell) && cell.length === 0);
}
