import type { Cell, Column } from "../../generated/widgets";
import { formatDate, MOMENT } from "../../runtime/dates";

const NUMERIC = new Set<Column["kind"]>(["number", "money", "percent"]);

/** Whether the cells of such a column end where the column ends. */
export function isNumeric(kind: Column["kind"]): boolean {
  return NUMERIC.has(kind);
}

/** Text of a cell in the language's own way of writing numbers and dates; "" for nothing. */
export function formatCell(value: Cell | undefined, column: Column, language: string): string {
  if (value === null || value === undefined || value === "") return "";
  if (typeof value === "object") return "label" in value ? value.label : value.map(({ label }) => label).join(", ");
  switch (column.kind) {
    case "number":
      return formatNumber(value, language, {});
    case "percent":
      return formatNumber(value, language, { style: "percent", maximumFractionDigits: 0 });
    case "money":
      return formatNumber(value, language, { style: "currency", currency: column.currency, maximumFractionDigits: 0 });
    case "date":
      return formatDate(String(value), language, { ...MOMENT.date, timeZone: "UTC" });
    case "datetime":
      return formatDate(String(value), language, MOMENT.datetime);
    default:
      return String(value);
  }
}

function formatNumber(value: string | number | boolean, language: string, options: Intl.NumberFormatOptions): string {
  const number = Number(value);
  return Number.isNaN(number) ? String(value) : new Intl.NumberFormat(language, options).format(number);
}
