import * as React from "react";
import type { Kit } from "../generated/widgets";
import type { Runtime } from "../runtime/Runtime";
import { isDark, settings } from "../runtime/settings";
import { useSignal } from "../runtime/signal";
import type { WidgetComponent } from "../runtime/widgets";
import { slotted } from "./slotted";

type Components = Readonly<Record<string, WidgetComponent>>;

/** The exports of another package's ES module. */
interface WebModule {
  readonly default: (kit: Kit) => Components | Promise<Components>;
}

interface Given extends Pick<Kit, "ReactDOM"> {
  readonly runtime: Runtime;
  /** The module's script, then its stylesheets. */
  readonly files: readonly string[];
  readonly loadMui: () => Promise<typeof import("./mui")>;
}

/**
 * Loads the module of another package. Its widgets use our React, so that hooks and contexts are shared. If the module requests MUI,
 * its widgets are wrapped in our theme.
 */
export async function loadModule({ ReactDOM, runtime, files, loadMui }: Given): Promise<Components> {
  const { base } = runtime.page;
  const [script = "", ...styles] = files;
  const styled = Promise.all(styles.map((address) => loadStyles(base + address)));
  let loadingMui: ReturnType<typeof loadMui> | undefined;
  const kit: Kit = {
    React,
    ReactDOM,
    mui: async () => {
      loadingMui ??= loadMui();
      return (await loadingMui).mui;
    },
    theme: { css: (token) => `var(--fw-${token})`, useMode },
    t: runtime.t,
    toast: runtime.toast,
  };
  const components = await ((await import(/* @vite-ignore */ base + script)) as WebModule).default(kit);
  await styled;
  const inScope = (await loadingMui)?.inScope;
  const wrap = (component: WidgetComponent): WidgetComponent => slotted(inScope === undefined ? component : inScope(component));
  return Object.fromEntries(Object.entries(components).map(([name, component]) => [name, wrap(component)]));
}

function useMode(): "light" | "dark" {
  return isDark(useSignal(settings).themeMode) ? "dark" : "light";
}

const loadingStyles = new Map<string, Promise<void>>();

/** Adds a stylesheet to the page, once. */
function loadStyles(address: string): Promise<void> {
  const known = loadingStyles.get(address);
  if (known !== undefined) return known;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = address;
  const loading = new Promise<void>((resolve, reject) => {
    link.addEventListener("load", () => resolve());
    link.addEventListener("error", () => {
      loadingStyles.delete(address);
      link.remove();
      reject(new Error(`${address} could not be loaded.`));
    });
  });
  loadingStyles.set(address, loading);
  document.head.append(link);
  return loading;
}
