import { afterEach, describe, expect, it } from "vitest";
import { formatDate, keepTimeZone, MOMENT, momentOf, setTimeZone } from "./dates";

afterEach(() => setTimeZone(null));

describe("formatDate", () => {
  it("uses the chosen time zone, unless the options name one", () => {
    setTimeZone("Asia/Tokyo");
    expect(formatDate("2026-11-21T22:39:02Z", "de", MOMENT.datetime)).toBe("22.11.2026, 07:39");
    expect(formatDate("2026-11-21", "de", { ...MOMENT.date, timeZone: "UTC" })).toBe("21.11.2026");
  });

  it("uses the browser's time zone if the chosen one is unknown", () => {
    setTimeZone("Mars/Olympus");
    expect(formatDate("2026-11-21T12:00:00Z", "de", MOMENT.date)).toBe("21.11.2026");
  });
});

describe("keepTimeZone", () => {
  it("keeps the browser's time zone for the server", () => {
    keepTimeZone("");
    expect(document.cookie).toContain(`time_zone=${new Intl.DateTimeFormat().resolvedOptions().timeZone}`);
  });
});

describe("momentOf", () => {
  it("converts a local time in the browser's time zone", () => {
    expect(momentOf("2030-07-01T10:30")).toBe(new Date(2030, 6, 1, 10, 30).toISOString());
    expect(momentOf("")).toBe("");
  });

  it.each([
    ["2030-07-01T10:30", "2030-07-01T14:30:00.000Z"],
    ["2030-01-01T10:30", "2030-01-01T15:30:00.000Z"],
    ["2030-03-10T01:59", "2030-03-10T06:59:00.000Z"], // the last minute before clocks go forward
    ["2030-03-10T03:00", "2030-03-10T07:00:00.000Z"], // the first minute afterward
  ])("converts a local time in New York: %s", (local, moment) => {
    setTimeZone("America/New_York");
    expect(momentOf(local)).toBe(moment);
  });
});
