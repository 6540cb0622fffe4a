import type { ReactNode } from "react";
import type { DataTableProps } from "../../generated/widgets";
import { useRuntime } from "../../runtime/Runtime";

const PAGE_SIZES = [10, 25, 50, 100];

interface PagerProps extends Pick<DataTableProps, "page" | "pageSize" | "total" | "sort" | "onQuery"> {
  /** Whether the person can choose how many rows a page has. */
  readonly hasSizes?: boolean;
}

/** Navigation between pages. */
export function Pager({ page, pageSize, total, sort, onQuery, hasSizes = false }: PagerProps): ReactNode {
  const { t, page: document } = useRuntime();
  const last = Math.max(1, Math.ceil(total / pageSize));
  const sizes = PAGE_SIZES.includes(pageSize) ? PAGE_SIZES : [pageSize, ...PAGE_SIZES];
  if (onQuery === undefined || (last === 1 && (!hasSizes || total <= Math.min(...sizes)))) return null;
  const go = (to: number): void => onQuery({ page: to, pageSize, sort });
  /** Changes the page size, and shows the page that contains the row that was first. */
  const resize = (size: number): void => onQuery({ page: Math.floor(((page - 1) * pageSize) / size) + 1, pageSize: size, sort });
  const numbers = new Intl.NumberFormat(document.language);
  return (
    <div className="fw-pagination" role="group" aria-label={t("Pages")}>
      {hasSizes ? (
        <label className="fw-pagination-sizes">
          <span>{t("Rows per page")}</span>
          <select className="fw-input fw-input-small" value={pageSize} onChange={({ target }) => resize(Number(target.value))}>
            {sizes.map((size) => (
              <option key={size} value={size}>
                {size}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      <button type="button" className="fw-pagination-item" disabled={page <= 1} aria-label={t("Previous page")} onClick={() => go(page - 1)}>
        ‹
      </button>
      <span>{t("Page {page} of {last}").replace("{page}", numbers.format(page)).replace("{last}", numbers.format(last))}</span>
      <button type="button" className="fw-pagination-item" disabled={page >= last} aria-label={t("Next page")} onClick={() => go(page + 1)}>
        ›
      </button>
    </div>
  );
}
