import "./Toaster.css";
import type { ReactNode } from "react";
import { type ToastMessage, useRuntime } from "../../runtime/Runtime";
import { Toast } from "./Toast";

const isLasting = ({ variant }: ToastMessage): boolean => variant === "warning";

/** Moves the page down by the height of the warnings, which stay open and must not cover the controls at the top. */
function makeRoom(warnings: HTMLElement | null): (() => void) | undefined {
  if (warnings === null) return undefined;
  const { style } = document.documentElement;
  const observer = new ResizeObserver(() => style.setProperty("--fw-warnings", `${warnings.offsetHeight}px`));
  observer.observe(warnings);
  return () => {
    observer.disconnect();
    style.removeProperty("--fw-warnings");
  };
}

/** Short messages, each for three seconds; warnings until they are closed. */
export function Toaster({ toasts }: { readonly toasts: readonly ToastMessage[] }): ReactNode {
  const { toasts: all, t } = useRuntime();
  const remove = (id: number): void => all.set(all.get().filter((each) => each.id !== id));
  const list = (some: readonly ToastMessage[]): ReactNode =>
    some.map((toast) => <Toast key={toast.id} {...toast} closeLabel={t("Close")} onClose={() => remove(toast.id)} />);
  const warnings = toasts.filter(isLasting);
  return (
    <>
      {warnings.length > 0 ? (
        <div ref={makeRoom} className="fw-toasts-lasting">
          {list(warnings)}
        </div>
      ) : null}
      {list(toasts.filter((each) => !isLasting(each)))}
    </>
  );
}
