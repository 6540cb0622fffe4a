import { BarChart } from "@mui/x-charts/BarChart";
import { LineChart } from "@mui/x-charts/LineChart";
import { type ReactNode, useMemo } from "react";
import type { ChartProps } from "../../generated/widgets";
import { MuiScope } from "../../theme/MuiScope";

const COLORS = ["var(--fw-primary)", "var(--fw-info)", "var(--fw-warning)"];
const HEIGHT = 300;

/** Lines or stacked bars by day. */
export function Chart({ label, days, series, kind, language }: ChartProps): ReactNode {
  const day = useMemo(() => new Intl.DateTimeFormat(language, { day: "numeric", month: "short", timeZone: "UTC" }), [language]);
  const number = useMemo(() => new Intl.NumberFormat(language), [language]);
  const xAxis = [{ data: [...days], valueFormatter: (value: string) => day.format(new Date(value)) }];
  const yAxis = [{ min: 0, tickMinStep: 1, width: 44, valueFormatter: (value: number) => number.format(value) }];
  const shared = { height: HEIGHT, colors: COLORS, yAxis, grid: { horizontal: true }, margin: { left: 0, right: 16 } };
  const lines = series.map((one) => ({ label: one.label, data: [...one.values] }));
  return (
    <figure className="fw-chart" aria-label={label}>
      <MuiScope>
        {kind === "lines" ? (
          <LineChart
            {...shared}
            xAxis={xAxis.map((axis) => ({ ...axis, scaleType: "point" }))}
            series={lines.map((line) => ({ ...line, showMark: days.length <= 14, labelMarkType: "square", curve: "linear" }))}
          />
        ) : (
          <BarChart
            {...shared}
            xAxis={xAxis.map((axis) => ({ ...axis, scaleType: "band" }))}
            series={lines.map((line) => ({ ...line, stack: "all" }))}
          />
        )}
      </MuiScope>
    </figure>
  );
}
