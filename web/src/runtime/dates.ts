/** How much of a point in time is shown. */
export const MOMENT = {
  date: { dateStyle: "medium" },
  datetime: { dateStyle: "medium", timeStyle: "short" },
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>;

let timeZone: string | undefined;

/** Show times in this zone from now on, and read those that are typed in it; null is the browser's own. */
export function setTimeZone(zone: string | null): void {
  timeZone = zone !== null && isKnown(zone) ? zone : undefined;
}

/** An old browser may lack a new zone. */
function isKnown(zone: string): boolean {
  try {
    Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** ISO 8601 in the language's own way of writing dates, in the reader's time zone unless `options` name one. */
export function formatDate(value: string, language: string, options: Intl.DateTimeFormatOptions): string {
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? value : new Intl.DateTimeFormat(language, { timeZone, ...options }).format(date);
}

/** The moment at which a clock of the reader's zone shows `local`, such as `2030-07-01T10:30`. */
export function momentOf(local: string): string {
  const shown = Date.parse(`${local}Z`);
  if (Number.isNaN(shown)) return local;
  // Twice: the first guess may lie on the other side of a change of the clock.
  const guess = shown - offsetAt(shown);
  return new Date(shown - offsetAt(guess)).toISOString();
}

/** How far the zone's clock is ahead of UTC, in milliseconds. Swedish writes dates as ISO 8601 does. */
function offsetAt(moment: number): number {
  const clock = new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "medium" }).format(moment);
  return Date.parse(`${clock.replace(" ", "T")}Z`) - Math.floor(moment / 1000) * 1000;
}
