import { createContext, createElement, lazy, type ReactNode, type SubmitEvent, Suspense, useState } from "react";
import { encodeEvent } from "./events";
import type { ElementNode } from "./protocol";
import { useRuntime } from "./Runtime";
import { useSignal } from "./signal";
import { useElementHandlers, useLatestHandlers } from "./useHandlers";
import { Waiting } from "./Waiting";

const DraftKeeper = lazy(async () => ({ default: (await import("./DraftKeeper")).DraftKeeper }));

/** Whether the form around is on its way. */
export const SendingContext = createContext(false);

/** A form; it is sent once at a time, so a double click under latency makes one record. */
export function Form({ node, children }: { readonly node: ElementNode; readonly children: ReactNode }): ReactNode {
  const runtime = useRuntime();
  const isHydrated = useSignal(runtime.isHydrated);
  const draft = node.a?.["data-draft"];
  const [isBusy, setBusy] = useState(false);
  const find = useLatestHandlers(node.e);
  const [handlers] = useElementHandlers(node.e);
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (isBusy) return;
    const form = event.currentTarget;
    setBusy(true);
    runtime.emit(
      () => find("onSubmit"),
      encodeEvent("onSubmit", event),
      () => {
        setBusy(false);
        const release = runtime.readiness.hold();
        setTimeout(() => {
          focusFirstInvalid(form); // React has shown by now what the server has said
          release();
        });
      },
    );
  };
  return createElement(
    "form",
    { ...node.a, ...handlers, ...(node.e?.["onSubmit"] && { onSubmit: submit }), ...(isBusy && { "aria-busy": true }) },
    isHydrated && typeof draft === "string" ? (
      <Suspense fallback={<Waiting />}>
        <DraftKeeper key={draft} form={draft} />
      </Suspense>
    ) : null,
    <SendingContext value={isBusy}>{children}</SendingContext>,
  );
}

/** Unless the focus was moved elsewhere while the server validated the form. */
function focusFirstInvalid(form: HTMLFormElement): void {
  const active = document.activeElement;
  if (active === null || active === document.body || form.contains(active)) form.querySelector<HTMLElement>('[aria-invalid="true"], [data-complaint]')?.focus();
}
