import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderWidget } from "../../test/renderWidget";
import { Chart } from "./Chart";

const props = {
  label: "Page views by day",
  days: ["2026-03-01", "2026-03-02"],
  series: [
    { label: "Page views", values: [3, 5] },
    { label: "People", values: [1, 2] },
  ],
  language: "en",
};

describe("Chart", () => {
  it.each(["lines", "bars"] as const)("draws %s and names each series", async (kind) => {
    await renderWidget(<Chart {...props} kind={kind} />);
    const figure = screen.getByRole("figure", { name: "Page views by day" });
    expect(await within(figure).findByText("Page views")).toBeTruthy();
    expect(within(figure).getByText("People")).toBeTruthy();
  });

  it("names UTC days in the reader's language", async () => {
    await renderWidget(<Chart {...props} kind="bars" language="de" />);
    expect(await screen.findByText("1. März")).toBeTruthy();
  });
});
