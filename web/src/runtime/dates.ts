/** How much of a point in time is shown. */
export const MOMENT = {
  date: { dateStyle: "medium" },
  datetime: { dateStyle: "medium", timeStyle: "short" },
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>;

/** ISO 8601 in the language's own way of writing dates, in the reader's time zone unless `options` name one. */
export function formatDate(value: string, language: string, options: Intl.DateTimeFormatOptions): string {
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? value : new Intl.DateTimeFormat(language, options).format(date);
}
