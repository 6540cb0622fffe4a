/** The parts of a point in time that are shown. */
export const MOMENT = {
  date: { dateStyle: "medium" },
  datetime: { dateStyle: "medium", timeStyle: "short" },
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>;

let timeZone: string | undefined;

/** Sets the time zone in which times are shown and entered; null is the browser's. */
export function setTimeZone(zone: string | null): void {
  timeZone = zone ?? undefined;
  formats.clear();
}

/** Tells the server the time zone of the browser, in which days begin unless the person has chosen another one. */
export function keepTimeZone(base: string): void {
  const { timeZone: zone } = new Intl.DateTimeFormat().resolvedOptions();
  document.cookie = `time_zone=${zone}; path=${base || "/"}; samesite=lax`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Created when it is first needed: the first one of a page takes longer than most of its other scripts. */
function formatOf(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([language, options]);
  const known = formats.get(key);
  if (known !== undefined) return known;
  const format = createFormat(language, options);
  formats.set(key, format);
  return format;
}

function createFormat(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(language, { timeZone, ...options });
  } catch {
    return new Intl.DateTimeFormat(language, options); // an old browser may not know a new zone
  }
}

/** Formats an ISO 8601 value in the given language, and in the reader's time zone unless `options` names one. */
export function formatDate(value: string, language: string, options: Intl.DateTimeFormatOptions): string {
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? value : formatOf(language, options).format(date);
}

/** Converts a local time in the reader's zone, such as `2030-07-01T10:30`, to UTC. */
export function momentOf(local: string): string {
  const shown = Date.parse(`${local}Z`);
  if (Number.isNaN(shown)) return local;
  // Twice, because the first guess may be on the other side of a daylight saving change.
  const guess = shown - offsetAt(shown);
  return new Date(shown - offsetAt(guess)).toISOString();
}

/** The zone's offset from UTC in milliseconds. The Swedish date format is that of ISO 8601. */
function offsetAt(moment: number): number {
  const clock = formatOf("sv", { dateStyle: "short", timeStyle: "medium" }).format(moment);
  return Date.parse(`${clock.replace(" ", "T")}Z`) - Math.floor(moment / 1000) * 1000;
}
