import { useEffect, useEffectEvent } from "react";
import type { UndoToastProps } from "../../generated/widgets";
import { useRuntime } from "../../runtime/Runtime";

/** Shows a toast with a button that undoes something, for as long as it is on the page. */
export function UndoToast({ message, label, onUndo, onClose }: UndoToastProps): null {
  const { offerUndo, isConnected } = useRuntime();
  const undo = useEffectEvent(() => onUndo?.({}));
  const close = useEffectEvent(() => isConnected.get() && onClose?.({})); // Closing is no step that could be lost.
  useEffect(() => offerUndo(message, { label, onUndo: () => undo(), onClose: () => close() }), [offerUndo, message, label]);
  return null;
}
