import type { ReactNode } from "react";
import type { Column, DataTableProps, Row, Sort } from "../../generated/widgets";
import { useRuntime } from "../../runtime/Runtime";
import { CellContent } from "./CellContent";
import { Pager } from "./Pager";

/** The same rows for a narrow screen: the compact columns one under the other. */
export function Cards(props: DataTableProps): ReactNode {
  const { label, columns, rows, emptyText, language, isLoading, onOpen } = props;
  const compact = columns.filter((column) => column.isCompact);
  const shown = compact.length > 0 ? compact : columns;
  return (
    <div role="group" className="fw-cards" aria-label={label} aria-busy={isLoading}>
      <SortChoice {...props} />
      {rows.length === 0 ? <p className="fw-empty">{emptyText}</p> : null}
      <ul>
        {rows.map((row) => (
          <li key={row.id} className="fw-cards-item">
            <CardBody row={row} columns={shown} language={language} onOpen={onOpen} />
          </li>
        ))}
      </ul>
      <Pager {...props} />
    </div>
  );
}

interface CardBodyProps {
  readonly row: Row;
  readonly columns: readonly Column[];
  readonly language: string;
  readonly onOpen: DataTableProps["onOpen"];
}

function CardBody({ row, columns: [head, ...others], language, onOpen }: CardBodyProps): ReactNode {
  if (head === undefined) return null;
  const title = <CellContent value={row.cells[head.field]} column={head} rowId={row.id} language={language} />;
  return (
    <>
      <p className="fw-cards-title">
        {onOpen === undefined || head.kind === "link" ? (
          title
        ) : (
          <button type="button" className="fw-link" onClick={() => onOpen({ id: row.id })}>
            {title}
          </button>
        )}
      </p>
      <dl>
        {others.filter((column) => !isEmpty(row.cells[column.field])).map((column) => (
          <div key={column.field}>
            <dt>{column.label}</dt>
            <dd>
              <CellContent value={row.cells[column.field]} column={column} rowId={row.id} language={language} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function isEmpty(value: Row["cells"][string] | undefined): boolean {
  return value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

function SortChoice(props: DataTableProps): ReactNode {
  const { t } = useRuntime();
  const { columns, sort, pageSize, onQuery } = props;
  const sortable = columns.filter((column) => column.isSortable);
  if (sortable.length === 0 || onQuery === undefined) return null;
  const choose = (value: string): void => {
    const [field, direction] = value.split(" ");
    const next: Sort | null = field ? { field, direction: direction === "desc" ? "desc" : "asc" } : null;
    onQuery({ page: 1, pageSize, sort: next });
  };
  return (
    <label className="fw-field">
      <span className="fw-label">{t("Sort by")}</span>
      <select
        className="fw-input fw-input-small"
        value={sort === null ? "" : `${sort.field} ${sort.direction}`}
        onChange={(event) => choose(event.target.value)}
      >
        <option value="">{t("Default order")}</option>
        {sortable.flatMap(({ field, label }) => [
          <option key={`${field} asc`} value={`${field} asc`}>{`${label} ↑`}</option>,
          <option key={`${field} desc`} value={`${field} desc`}>{`${label} ↓`}</option>,
        ])}
      </select>
    </label>
  );
}
