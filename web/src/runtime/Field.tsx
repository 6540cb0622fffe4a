import { type ChangeEvent, createElement, type ReactNode, useLayoutEffect, useMemo, useRef, useState } from "react";
import { contentOf, FieldKeeper, type FormField, startOf } from "./FieldKeeper";
import type { ElementNode, Handlers } from "./protocol";
import { useRuntime } from "./Runtime";
import { useElementHandlers } from "./useHandlers";

const BUTTON_LIKE = new Set(["submit", "button", "reset", "image", "file"]);

/** Whether an element holds what a person typed or chose. */
export function isField(node: ElementNode): boolean {
  if (node.t === "textarea" || node.t === "select") return true;
  return node.t === "input" && !BUTTON_LIKE.has(String(node.a?.["type"] ?? "text"));
}

/** All but the content and its events, which the keeper sees to. */
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

/** An input, select or textarea. */
export function Field({ node, children }: { readonly node: ElementNode; readonly children: ReactNode }): ReactNode {
  const runtime = useRuntime();
  const element = useRef<FormField>(null);
  const [keeper] = useState(() => new FieldKeeper(runtime));
  const [first] = useState(node);
  const { attributes, handlers: others } = useMemo(() => split(node), [node]);
  const start = useMemo(() => split(first).start, [first]);
  const handlers = useElementHandlers(others);
  const { value, checked, ack } = contentOf(node);

  useLayoutEffect(() => keeper.follow(node), [keeper, node]);
  useLayoutEffect(() => keeper.offer({ value, checked, ack }), [keeper, value, checked, ack]);
  useLayoutEffect(
    () => (element.current === null ? undefined : keeper.attach(element.current, startOf(first))),
    [keeper, first],
  );

  return createElement(
    node.t,
    {
      ...attributes,
      ...start,
      ...handlers,
      ref: element,
      onChange: ({ nativeEvent }: ChangeEvent) => keeper.change((nativeEvent as Partial<InputEvent>).isComposing === true),
      onCompositionStart: () => keeper.change(true),
      onCompositionEnd: () => keeper.change(false),
    },
    children,
  );
}
