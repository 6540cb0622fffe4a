import { type FocusEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import type { ToastMessage } from "../../runtime/Runtime";

const SHOWN_MS = 3_000;

interface ToastProps extends ToastMessage {
  readonly closeLabel: string;
  readonly onClose: () => void;
}

/** A message that goes by itself, but not while the pointer or the focus is on it: then its time stands still. */
export function Toast({ message, variant, closeLabel, onClose }: ToastProps): ReactNode {
  const [isPointedAt, setPointedAt] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const isHeld = isPointedAt || isFocused;
  const leftMs = useRef(SHOWN_MS);
  const cameFrom = useRef<HTMLElement | null>(null);

  const expire = useEffectEvent(onClose);
  useEffect(() => {
    if (isHeld) return undefined;
    const shownAt = Date.now();
    const timer = setTimeout(() => expire(), leftMs.current);
    return () => {
      clearTimeout(timer);
      leftMs.current -= Date.now() - shownAt;
    };
  }, [isHeld]);

  const focus = ({ currentTarget, relatedTarget }: FocusEvent): void => {
    setFocused(true);
    if (relatedTarget instanceof HTMLElement && !currentTarget.contains(relatedTarget)) cameFrom.current = relatedTarget;
  };
  const close = (): void => {
    if (isFocused) cameFrom.current?.focus();
    onClose();
  };

  return (
    <div
      role="group"
      className={`fw-toast fw-toast-${variant}`}
      onPointerEnter={() => setPointedAt(true)}
      onPointerLeave={() => setPointedAt(false)}
      onFocus={focus}
      onBlur={() => setFocused(false)}
    >
      <p role={variant === "error" || variant === "warning" ? "alert" : undefined}>{message}</p>
      <button
        type="button"
        className="fw-toast-close"
        aria-label={closeLabel}
        onClick={close}
        onKeyDown={({ key }) => {
          if (key === "Escape") close();
        }}
      >
        ×
      </button>
    </div>
  );
}
