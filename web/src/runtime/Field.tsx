import { type ChangeEvent, createElement, type ReactNode, useLayoutEffect, useMemo, useState } from "react";
import { contentOf, FieldKeeper } from "./FieldKeeper";
import type { ElementNode, Handlers } from "./protocol";
import { useRuntime } from "./Runtime";
import { useElementHandlers } from "./useHandlers";

const BUTTON_LIKE = new Set<unknown>(["submit", "button", "reset", "image", "file"]);

/** Whether an element is a form field. */
export function isField(node: ElementNode): boolean {
  if (node.t === "textarea" || node.t === "select") return true;
  return node.t === "input" && !BUTTON_LIKE.has(node.a?.["type"]);
}

/** The attributes and events of a field, except for its content and the events that `FieldKeeper` handles. */
function split({ a = {}, e = {} }: ElementNode): { attributes: Record<string, unknown>; start: object; handlers: Handlers } {
  const attributes: Record<string, unknown> = { ...a };
  const start: Record<string, unknown> = {};
  if ("value" in a) start["defaultValue"] = a["value"];
  if ("checked" in a) start["defaultChecked"] = a["checked"];
  const handlers: Record<string, Handlers[string]> = { ...e };
  for (const name of ["value", "checked", "ack"]) Reflect.deleteProperty(attributes, name);
  for (const name of ["onChange", "onInput"]) Reflect.deleteProperty(handlers, name);
  return { attributes, start, handlers };
}

/** An input, select, or textarea. */
export function Field({ node, children }: { readonly node: ElementNode; readonly children: ReactNode }): ReactNode {
  const runtime = useRuntime();
  const [keeper] = useState(() => new FieldKeeper(runtime, node));
  const [start] = useState(() => split(node).start);
  const { attributes, handlers: others } = useMemo(() => split(node), [node]);
  const [handlers] = useElementHandlers(others);
  const { value, checked, ack } = contentOf(node);

  useLayoutEffect(() => keeper.follow(node), [keeper, node]);
  useLayoutEffect(() => keeper.offer({ value, checked, ack }), [keeper, value, checked, ack]);

  return createElement(
    node.t,
    {
      ...attributes,
      ...start,
      ...handlers,
      ref: keeper.attach,
      onChange: ({ nativeEvent }: ChangeEvent) => keeper.change((nativeEvent as Partial<InputEvent>).isComposing === true),
      onCompositionStart: () => keeper.change(true),
      onCompositionEnd: () => keeper.change(false),
    },
    children,
  );
}
