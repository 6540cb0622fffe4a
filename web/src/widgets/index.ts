import { WidgetRegistry } from "../runtime/widgets";

/** Every widget that Python may name, each a chunk of its own. */
export const widgets = new WidgetRegistry({});
