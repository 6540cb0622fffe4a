import "./Toaster.css";
import { type ReactNode, useLayoutEffect, useRef } from "react";
import { type ToastMessage, useRuntime } from "../../runtime/Runtime";
import { placeToasts } from "./placement";
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

/** Short messages, each for three seconds, or ten if it offers to undo something; warnings until they are closed. */
export function Toaster({ toasts }: { readonly toasts: readonly ToastMessage[] }): ReactNode {
  const { removeToast, t } = useRuntime();
  const messages = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (toasts.length === 0) return undefined;
    const place = (): void => placeToasts(messages.current);
    place();
    // The page may change with the message, for example when a form closes.
    const observer = new ResizeObserver(place);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [toasts]);
  const list = (some: readonly ToastMessage[]): ReactNode =>
    some.map((toast) => {
      const close = (): void => {
        removeToast(toast.id);
        toast.undo?.onClose();
      };
      return <Toast key={toast.id} {...toast} closeLabel={t("Close")} onClose={close} />;
    });
  const warnings = toasts.filter(isLasting);
  return (
    <>
      {warnings.length > 0 ? (
        <div ref={makeRoom} className="fw-toasts-lasting">
          {list(warnings)}
        </div>
      ) : null}
      <div ref={messages}>{list(toasts.filter((each) => !isLasting(each)))}</div>
    </>
  );
}
