import type { ComponentType } from "react";
import type { TreeNode } from "./protocol";
import { Signal } from "./signal";

export type WidgetComponent = ComponentType<Record<string, unknown>>;
export type WidgetLoader = () => Promise<unknown>;

export type Loading =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly component: WidgetComponent }
  | { readonly state: "failed" };

/** The widgets by name; each is its own chunk, fetched when a page first shows it. */
export class WidgetRegistry {
  readonly #loaders: Readonly<Record<string, WidgetLoader>>;
  readonly #loading = new Map<string, Signal<Loading>>();

  constructor(loaders: Readonly<Record<string, WidgetLoader>>) {
    this.#loaders = loaders;
  }

  load(name: string): Signal<Loading> {
    const known = this.#loading.get(name);
    if (known !== undefined) return known;
    const signal = new Signal<Loading>({ state: "loading" });
    this.#loading.set(name, signal);
    void this.#fetch(name, signal);
    return signal;
  }

  /** Starts to fetch what a page shows, before React gets to it. */
  loadAll(node: TreeNode): void {
    if (typeof node === "string" || "x" in node) return;
    if ("w" in node) this.load(node.w);
    for (const child of node.c ?? []) this.loadAll(child);
  }

  retry(name: string): void {
    const signal = this.load(name);
    if (signal.get().state !== "failed") return;
    signal.set({ state: "loading" });
    void this.#fetch(name, signal);
  }

  async #fetch(name: string, signal: Signal<Loading>): Promise<void> {
    try {
      const loaded = (await this.#loaders[name]?.()) as Readonly<Record<string, WidgetComponent>> | undefined;
      const component = loaded?.[name];
      if (component === undefined) throw new Error(`There is no widget ${name}.`);
      signal.set({ state: "ready", component });
    } catch (error) {
      console.error(error);
      signal.set({ state: "failed" });
    }
  }
}
