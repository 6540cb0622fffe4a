import type { ReactNode } from "react";
import type { Cell, Column } from "../../generated/widgets";
import { formatCell } from "./format";

interface CellContentProps {
  readonly value: Cell | undefined;
  readonly column: Column;
  readonly rowId: string;
  readonly language: string;
}

/** A cell as people read it: links that are links, chips, and text. */
export function CellContent({ value, column, rowId, language }: CellContentProps): ReactNode {
  if (typeof value !== "object" || value === null) {
    const text = formatCell(value, column, language);
    return column.hrefBase !== "" && text !== "" ? <a href={column.hrefBase + rowId}>{text}</a> : text;
  }
  if ("href" in value) return <a href={value.href}>{value.label}</a>;
  return (
    <span className="fw-chips">
      {value.map(({ label, color }) => (
        <span key={label} className={`fw-chip fw-chip-${color}`}>
          {label}
        </span>
      ))}
    </span>
  );
}
