import "./Toaster.css";
import type { ReactNode } from "react";
import { type Message, useRuntime } from "../../runtime/Runtime";
import { Toast } from "./Toast";

const SHOWN_WITH_UNDO_MS = 10_000;

/** Makes the page longer by the height of the notices, so that one can scroll to what they cover. */
function makeRoom(notices: HTMLElement | null): (() => void) | undefined {
  if (notices === null) return undefined;
  const { style } = document.documentElement;
  const observer = new ResizeObserver(() => style.setProperty("--fw-notices", `${notices.offsetHeight}px`));
  observer.observe(notices);
  return () => {
    observer.disconnect();
    style.removeProperty("--fw-notices");
  };
}

/** What is no toast because it must be read, until it is closed, or because it offers to undo something, for ten seconds. */
export function Notices({ messages }: { readonly messages: readonly Message[] }): ReactNode {
  const { removeMessage, t } = useRuntime();
  if (messages.length === 0) return null;
  return (
    <div ref={makeRoom} className="fw-notices-list">
      {messages.map((notice) => {
        const close = (): void => {
          removeMessage(notice.id);
          notice.undo?.onClose();
        };
        return <Toast key={notice.id} {...notice} shownMs={notice.undo ? SHOWN_WITH_UNDO_MS : Infinity} closeLabel={t("Close")} onClose={close} />;
      })}
    </div>
  );
}
