import { afterEach, describe, expect, it } from "vitest";
import { formatDate, MOMENT, momentOf, setTimeZone } from "./dates";

afterEach(() => setTimeZone(null));

describe("formatDate", () => {
  it("writes in the zone that was chosen, unless the options name one", () => {
    setTimeZone("Asia/Tokyo");
    expect(formatDate("2026-11-21T22:39:02Z", "de", MOMENT.datetime)).toBe("22.11.2026, 07:39");
    expect(formatDate("2026-11-21", "de", { ...MOMENT.date, timeZone: "UTC" })).toBe("21.11.2026");
  });

  it("follows the browser where the zone is not known", () => {
    setTimeZone("Mars/Olympus");
    expect(formatDate("2026-11-21T12:00:00Z", "de", MOMENT.date)).toBe("21.11.2026");
  });
});

describe("momentOf", () => {
  it("reads a clock of the browser's own zone", () => {
    expect(momentOf("2030-07-01T10:30")).toBe(new Date(2030, 6, 1, 10, 30).toISOString());
    expect(momentOf("")).toBe("");
  });

  it.each([
    ["2030-07-01T10:30", "2030-07-01T14:30:00.000Z"],
    ["2030-01-01T10:30", "2030-01-01T15:30:00.000Z"],
    ["2030-03-10T01:59", "2030-03-10T06:59:00.000Z"], // the last minute before the clock goes forward
    ["2030-03-10T03:00", "2030-03-10T07:00:00.000Z"], // the first one after
  ])("reads a clock of New York: %s", (local, moment) => {
    setTimeZone("America/New_York");
    expect(momentOf(local)).toBe(moment);
  });
});
