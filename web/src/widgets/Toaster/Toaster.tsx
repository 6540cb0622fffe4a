import "./Toaster.css";
import type { ReactNode } from "react";
import { type ToastMessage, useRuntime } from "../../runtime/Runtime";
import { Toast } from "./Toast";

/** Short messages, each for three seconds; warnings until they are closed. */
export function Toaster({ toasts }: { readonly toasts: readonly ToastMessage[] }): ReactNode {
  const { toasts: all, t } = useRuntime();
  const remove = (id: number): void => all.set(all.get().filter((each) => each.id !== id));
  return toasts.map((toast) => <Toast key={toast.id} {...toast} closeLabel={t("Close")} onClose={() => remove(toast.id)} />);
}
