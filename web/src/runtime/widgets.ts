import type { ComponentType } from "react";
import * as ReactDOM from "react-dom";
import type { TreeNode } from "./protocol";
import type { Runtime } from "./Runtime";
import { Signal } from "./signal";

export type WidgetComponent = ComponentType<Record<string, unknown>>;
export type WidgetLoader = () => Promise<unknown>;

export type Loading =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly component: WidgetComponent }
  | { readonly state: "failed" };

// Imported here because this keeps both in the chunk of the application; imported by the kit, they would become chunks of their own.
const loadMui = () => import("../kit/mui");

/**
 * The widgets by name. Each is its own chunk, fetched when a page first shows it. The server's HTML contains the output of `painted`
 * widgets, which are hydrated in place, so they must load before hydration.
 */
export class WidgetRegistry {
  readonly #loaders: Record<string, WidgetLoader>;
  readonly #loading = new Map<string, Signal<Loading>>();
  readonly #painted: ReadonlySet<string>;

  constructor(loaders: Readonly<Record<string, WidgetLoader>>, painted: readonly string[] = []) {
    this.#loaders = { ...loaders };
    this.#painted = new Set(painted);
  }

  isPainted(name: string): boolean {
    return this.#painted.has(name);
  }

  /** Adds the widgets of other packages. */
  addModules(runtime: Runtime): void {
    for (const [name, files] of Object.entries(runtime.page.modules)) {
      this.#loaders[name] = async () => (await import("../kit/kit")).loadModule({ ReactDOM, runtime, files, loadMui });
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

  /** Starts to fetch the widgets of a page before React renders them. The promise resolves when the painted ones have loaded. */
  async loadAll(node: TreeNode): Promise<void> {
    await Promise.all([...new Set(namesIn(node))].map((name) => this.#settled(name)));
  }

  async #settled(name: string): Promise<void> {
    const loading = this.load(name);
    if (!this.isPainted(name)) return;
    await new Promise<void>((settle) => {
      const look = (): void => {
        if (loading.get().state !== "loading") settle();
      };
      loading.subscribe(look);
      look();
    });
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

function* namesIn(node: TreeNode): Iterable<string> {
  if (typeof node === "string" || "x" in node) return;
  if ("w" in node) yield node.w;
  for (const child of node.c ?? []) yield* namesIn(child);
}
