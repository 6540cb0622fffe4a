import "./Toaster.css";
import { type ReactNode, useLayoutEffect, useRef } from "react";
import { type Message, useRuntime } from "../../runtime/Runtime";
import { placeToasts } from "./placement";
import { Toast } from "./Toast";

const SHOWN_MS = 3_000;

/** Short messages, each for three seconds. */
export function Toaster({ messages }: { readonly messages: readonly Message[] }): ReactNode {
  const { removeMessage, t } = useRuntime();
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (messages.length === 0) return undefined;
    const place = (): void => placeToasts(list.current);
    place();
    // The page may change with the message, for example when a form closes.
    const observer = new ResizeObserver(place);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [messages]);
  return (
    <div ref={list}>
      {messages.map((toast) => (
        <Toast key={toast.id} {...toast} shownMs={SHOWN_MS} closeLabel={t("Close")} onClose={() => removeMessage(toast.id)} />
      ))}
    </div>
  );
}
