import { createContext, createElement, type ReactNode, type SubmitEvent, use, useState } from "react";
import { DraftKeeper } from "./DraftKeeper";
import { encodeEvent } from "./events";
import { HydratedContext } from "./hydrated";
import type { ElementNode } from "./protocol";
import { watchRequest } from "./requests";
import { useRuntime } from "./Runtime";
import { useSignal } from "./signal";
import { useElementHandlers, useLatestHandlers } from "./useHandlers";

/** Whether the enclosing form is being submitted. */
export const SendingContext = createContext(false);

/**
 * A form that ignores further submits until the server has handled the last one, so a double click creates one record. With
 * `data-request`, a submit that gets no response fails: an alert above the fields says so, and nothing is sent later.
 */
export function Form({ node, children }: { readonly node: ElementNode; readonly children: ReactNode }): ReactNode {
  const runtime = useRuntime();
  const isHydrated = use(HydratedContext);
  const draft = node.a?.["data-draft"];
  const isRequest = node.a?.["data-request"] === true;
  const [isBusy, setBusy] = useState(false);
  const find = useLatestHandlers(node.e);
  const [handlers] = useElementHandlers(node.e);
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (isBusy) return;
    const form = event.currentTarget;
    const data = encodeEvent("onSubmit", event);
    setBusy(true);
    runtime.requestFailure.set(null);
    const stopWatching = isRequest
      ? watchRequest(runtime, () => {
          runtime.withdraw(data);
          runtime.requestFailure.set(runtime.t("Something went wrong"));
          setBusy(false);
        })
      : undefined;
    runtime.emit(
      () => find("onSubmit"),
      data,
      () => {
        stopWatching?.();
        setBusy(false);
        const release = runtime.readiness.hold();
        setTimeout(() => {
          focusFirstInvalid(form); // by now, React has rendered the server's response
          release();
        });
      },
    );
  };
  return createElement(
    "form",
    { ...node.a, ...handlers, ...(node.e?.["onSubmit"] && { onSubmit: submit }), ...(isBusy && { "aria-busy": true }) },
    isHydrated && isRequest ? <RequestFailure /> : null,
    isHydrated && typeof draft === "string" ? <DraftKeeper key={draft} form={draft} /> : null,
    <SendingContext value={isBusy}>{children}</SendingContext>,
  );
}

function RequestFailure(): ReactNode {
  const failure = useSignal(useRuntime().requestFailure);
  if (failure === null) return null;
  return (
    <div className="fw-alert fw-alert-error" role="alert">
      <div className="fw-alert-body">
        <p>{failure}</p>
      </div>
    </div>
  );
}

/** Does nothing if the focus was moved elsewhere while the server validated the form. */
function focusFirstInvalid(form: HTMLFormElement): void {
  const active = document.activeElement;
  if (active === null || active === document.body || form.contains(active)) form.querySelector<HTMLElement>('[aria-invalid="true"], [data-complaint]')?.focus();
}
