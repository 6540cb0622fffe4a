import { Children, isValidElement, type ReactNode } from "react";
import type { TreeNode } from "../runtime/protocol";
import type { WidgetComponent } from "../runtime/widgets";

const SLOT = "slot:";

/** Wraps a component so that it receives the content of each slot as the prop of that name. Its fallback is no longer shown. */
export function slotted(Component: WidgetComponent): WidgetComponent {
  return function Slotted({ children, ...props }: Record<string, unknown>): ReactNode {
    return <Component {...props} {...slotsIn(children as ReactNode)} />;
  };
}

function slotsIn(children: ReactNode): Readonly<Record<string, ReactNode>> {
  const slots: Record<string, ReactNode> = {};
  Children.forEach(children, (child) => {
    if (!isValidElement<{ readonly node?: TreeNode }>(child)) return;
    const { node } = child.props;
    if (typeof node !== "object" || !("f" in node) || node.c === undefined) return;
    const key = String(node.k);
    if (key.startsWith(SLOT)) slots[key.slice(SLOT.length)] = child;
  });
  return slots;
}
