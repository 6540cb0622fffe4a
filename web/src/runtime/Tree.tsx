import { createElement, memo, type ReactNode, use, useState } from "react";
import { Field, isField } from "./Field";
import { Form, SendingContext } from "./Form";
import { HydratedContext } from "./hydrated";
import { isMoment, Moment } from "./Moment";
import { Problem } from "./Problem";
import type { ElementNode, TreeNode } from "./protocol";
import { useRuntime } from "./Runtime";
import { useElementHandlers } from "./useHandlers";
import { Waiting } from "./Waiting";
import { Widget } from "./Widget";

const VOID = new Set(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]);

function keyOf(node: TreeNode, index: number): string {
  if (typeof node !== "string" && "k" in node) return `k${node.k}`;
  return `i${index}`;
}

/** Children in the form that React needs: a single text is passed as a string. */
function renderChildren(children: readonly TreeNode[] | undefined): ReactNode {
  if (children === undefined || children.length === 0) return null;
  if (children.length === 1 && typeof children[0] === "string") return children[0];
  return children.map((child, index) => <Tree key={keyOf(child, index)} node={child} />);
}

/** Attributes of a control whose action is running. Not `disabled`, which would remove the focus. */
const BUSY = { "aria-disabled": true, "aria-busy": true };

function Element({ node }: { readonly node: ElementNode }): ReactNode {
  const [handlers, isBusy] = useElementHandlers(node.e);
  return createElement(node.t, { ...node.a, ...handlers, ...(isBusy && BUSY) }, VOID.has(node.t) ? undefined : renderChildren(node.c));
}

function SubmitButton({ node }: { readonly node: ElementNode }): ReactNode {
  const isSending = use(SendingContext);
  return <Element node={isSending ? { ...node, a: { ...node.a, ...BUSY } } : node} />;
}

/** Whether this is a loading state (components/fundwright_ui/ui/feedback.py). */
function isLoading(node: ElementNode): boolean {
  return node.a?.["data-loading"] !== undefined;
}

/** A component that failed on the server, whose HTML is an empty panel. Trying again renders only this component. */
function Failed({ errorId }: { readonly errorId: string }): ReactNode {
  const runtime = useRuntime();
  const isHydrated = use(HydratedContext);
  const [isBusy, setBusy] = useState(false);
  if (!isHydrated) return <div className="fw-problem" role="alert" />;
  const retry = (): void => {
    setBusy(true);
    runtime.emit(() => ({ h: `retry|${errorId}`, o: 1 }), {}, () => setBusy(false));
  };
  return <Problem errorId={errorId} isBusy={isBusy} onRetry={retry} />;
}

/** Renders a node of the server's tree. An unchanged node is the same object as before and is not rendered again. */
export const Tree = memo(function Tree({ node }: { readonly node: TreeNode }): ReactNode {
  if (typeof node === "string") return node;
  if ("x" in node) return <Failed errorId={node.x} />;
  if ("f" in node) return renderChildren(node.c);
  if ("w" in node) return <Widget node={node}>{renderChildren(node.c)}</Widget>;
  if (node.t === "form") return <Form node={node}>{renderChildren(node.c)}</Form>;
  if (node.t === "button" && node.a?.["type"] === "submit") return <SubmitButton node={node} />;
  if (isMoment(node)) return <Moment node={node}>{renderChildren(node.c)}</Moment>;
  if (isLoading(node)) return <Waiting><Element node={node} /></Waiting>;
  if (!isField(node)) return <Element node={node} />;
  // A field with another name is a different field, even at the same position: it must not inherit the text.
  const name = `${String(node.a?.["name"])} ${String(node.a?.["id"])}`;
  return (
    <Field key={name} node={node}>
      {VOID.has(node.t) || node.t === "textarea" ? undefined : renderChildren(node.c)}
    </Field>
  );
});
