import "./CommandPalette.css";
import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useRef } from "react";

interface ModalProps {
  readonly label: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A native dialog: it traps the focus, closes with Escape or a click outside of it, and restores the focus. */
export function Modal({ label, onClose, children }: ModalProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = useEffectEvent(onClose);

  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);

  useEffect(() => {
    const press = ({ target }: PointerEvent): void => {
      if (target === dialog.current) close();
    };
    document.addEventListener("pointerdown", press);
    return () => document.removeEventListener("pointerdown", press);
  }, []);

  return (
    <dialog ref={dialog} className="fw-modal" aria-label={label} onCancel={onClose}>
      <div className="fw-modal-body">{children}</div>
    </dialog>
  );
}
