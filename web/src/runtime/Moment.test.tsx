import { act, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { openPage } from "../test/openPage";
import type { ElementNode } from "./protocol";

const begun: ElementNode = {
  t: "time",
  a: { dateTime: "2026-11-21T22:39:02+00:00", "data-moment": "datetime" },
  c: ["21.11.2026, 22:39 UTC"],
};

function inZone(timeStyle?: "short"): string {
  return new Intl.DateTimeFormat("de", { dateStyle: "medium", ...(timeStyle && { timeStyle }) }).format(new Date("2026-11-21T22:39:02Z"));
}

it("is hydrated as the server rendered it, then shown in the reader's time zone and language", async () => {
  await openPage(begun, {
    html: '<time datetime="2026-11-21T22:39:02+00:00" data-moment="datetime">21.11.2026, 22:39 UTC</time>',
    page: { language: "de" },
  });
  expect(screen.getByRole("time").textContent).toBe(inZone("short"));
});

it("is shown in the account's time zone", async () => {
  await openPage(begun, { page: { language: "de", timeZone: "Asia/Tokyo" } });
  expect(screen.getByRole("time").textContent).toBe("22.11.2026, 07:39");
});

it("shows only the day if the time has no meaning, and follows the server", async () => {
  const page = await openPage({ ...begun, a: { ...begun.a, "data-moment": "date" } }, { page: { language: "de" } });
  expect(screen.getByRole("time").textContent).toBe(inZone());
  await act(() => page.patch(["attrs", [], { dateTime: "2027-01-02T12:00:00+00:00" }, []]));
  expect(screen.getByRole("time").textContent).toBe("02.01.2027");
});
