import { act, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { openPage } from "../test/openPage";
import { WidgetRegistry } from "./widgets";

const CLOCK = `export default ({ createElement, useState }) => ({
  Clock({ zone }) {
    const [hour] = useState(12);
    return createElement("time", null, hour + " " + zone);
  },
});`;

it("a widget of another package is drawn by its module, with our React", async () => {
  const widgets = new WidgetRegistry({});
  widgets.addModules("data:text/javascript,", { Clock: encodeURIComponent(CLOCK) });
  await openPage({ w: "Clock", a: { zone: "UTC" }, c: ["11 UTC"] }, { widgets });
  await act(() => vi.waitFor(() => expect(screen.getByText("12 UTC")).toBeTruthy()));
});
