import { type FocusEvent, type PointerEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import type { Message } from "../../runtime/Runtime";

const REST_MS = 3_000;

interface ToastProps extends Message {
  /** Infinity: until it is closed. */
  readonly shownMs: number;
  readonly closeLabel: string;
  readonly onClose: () => void;
}

/**
 * A message that disappears after a while. The timer pauses while the pointer or the focus is on the message. A pointer that was there before the message appeared, or that has not moved for
 * a while, does not count.
 */
export function Toast({ message, variant, errorId, undo, shownMs, closeLabel, onClose }: ToastProps): ReactNode {
  /** Counts the pointer's movements over the message; 0 while it points elsewhere. */
  const [pointed, setPointed] = useState(0);
  const [isFocused, setFocused] = useState(false);
  const isHeld = shownMs === Infinity || pointed > 0 || isFocused;
  const pointer = useRef("");
  const leftMs = useRef(shownMs);
  const cameFrom = useRef<HTMLElement | null>(null);

  const expire = useEffectEvent(onClose);
  useEffect(() => {
    if (isHeld) return undefined;
    const shownAt = performance.now();
    const timer = setTimeout(() => expire(), leftMs.current);
    return () => {
      clearTimeout(timer);
      leftMs.current -= performance.now() - shownAt;
    };
  }, [isHeld]);

  useEffect(() => {
    if (pointed === 0) return undefined;
    const timer = setTimeout(() => setPointed(0), REST_MS);
    return () => clearTimeout(timer);
  }, [pointed]);

  /** Whether the pointer itself has moved; browsers also report movement when the content under it moves. */
  const hasMoved = ({ screenX, screenY }: PointerEvent): boolean => {
    const before = pointer.current;
    pointer.current = `${screenX} ${screenY}`;
    return before !== "" && before !== pointer.current;
  };
  const leave = (): void => {
    pointer.current = "";
    setPointed(0);
  };
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
      onPointerEnter={hasMoved}
      onPointerMove={(event) => {
        if (hasMoved(event)) setPointed((count) => count + 1);
      }}
      onPointerLeave={leave}
      onFocus={focus}
      onBlur={() => setFocused(false)}
    >
      <p role={variant === "error" || variant === "warning" ? "alert" : undefined}>
        {message}
        {errorId === undefined ? null : <code>{errorId}</code>}
      </p>
      {undo === undefined ? null : (
        <button type="button" className="fw-button fw-button-small" onClick={undo.onUndo}>
          {undo.label}
        </button>
      )}
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
