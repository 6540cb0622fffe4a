import type { StylisPlugin } from "@emotion/cache";
import { prefixer } from "stylis";
import type { Settings } from "../runtime/settings";

type Direction = Settings["themeDirection"];

let rtl: StylisPlugin[] | undefined;

/** Fetches the emotion plug-ins for a direction; left to right needs none. */
export async function loadDirection(direction: Direction): Promise<void> {
  if (isDirectionLoaded(direction)) return;
  const { default: plugin } = await import("@mui/stylis-plugin-rtl");
  rtl = [prefixer, plugin]; // emotion types its plug-ins more narrowly than stylis does
}

export function isDirectionLoaded(direction: Direction): boolean {
  return direction === "ltr" || rtl !== undefined;
}

export function pluginsOf(direction: Direction): StylisPlugin[] | undefined {
  return direction === "rtl" ? rtl : undefined;
}
