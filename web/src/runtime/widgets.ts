import * as React from "react";
import type { ComponentType } from "react";
import type { TreeNode } from "./protocol";
import { Signal } from "./signal";

export type WidgetComponent = ComponentType<Record<string, unknown>>;
export type WidgetLoader = () => Promise<unknown>;

/** What the ES module of another package exports. */
export interface WebModule {
  readonly default: (react: typeof React) => unknown;
}

export type Loading =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly component: WidgetComponent }
  | { readonly state: "failed" };

/**
 * The widgets by name; each is its own chunk, fetched when a page first shows it. `painted` ones are here at once, and the
 * server's HTML holds what they draw: they are hydrated in place.
 */
export class WidgetRegistry {
  readonly #loaders: Record<string, WidgetLoader>;
  readonly #loading = new Map<string, Signal<Loading>>();

  readonly #painted: ReadonlySet<string>;

  constructor(loaders: Readonly<Record<string, WidgetLoader>>, painted: Readonly<Record<string, unknown>> = {}) {
    this.#loaders = { ...loaders };
    this.#painted = new Set(Object.keys(painted));
    for (const [name, component] of Object.entries(painted)) {
      this.#loading.set(name, new Signal<Loading>({ state: "ready", component: component as WidgetComponent }));
    }
  }

  isPainted(name: string): boolean {
    return this.#painted.has(name);
  }

  /** Widgets of other packages: the module at an address makes them with our React, so that hooks and contexts are shared. */
  addModules(base: string, addresses: Readonly<Record<string, string>>): void {
    for (const [name, address] of Object.entries(addresses)) {
      this.#loaders[name] = async () => ((await import(/* @vite-ignore */ base + address)) as WebModule).default(React);
    }
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
