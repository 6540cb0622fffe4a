import "./Toaster.css";
import { closeSnackbar, enqueueSnackbar, type SnackbarKey, SnackbarProvider } from "notistack";
import { type ReactNode, useEffect } from "react";
import { useRuntime } from "../../runtime/Runtime";
import { useSignal } from "../../runtime/signal";

const SHOWN_MS = 3_000;
const MOST_AT_ONCE = 5;

function CloseButton({ id, label }: { readonly id: SnackbarKey; readonly label: string }): ReactNode {
  return (
    <button type="button" className="fw-toast-close" aria-label={label} onClick={() => closeSnackbar(id)}>
      ×
    </button>
  );
}

/** Short messages at the top right; they wait while the pointer rests on them, and are read out by screen readers. */
export function Toaster(): ReactNode {
  const { toasts, t } = useRuntime();
  const waiting = useSignal(toasts);
  useEffect(() => {
    if (waiting.length === 0) return;
    toasts.set([]);
    // One refusal of each of a hundred clicks would take minutes to be shown.
    for (const { message, variant } of waiting) enqueueSnackbar(message, { variant, preventDuplicate: variant === "error" });
  }, [toasts, waiting]);
  const closeLabel = t("Close");
  return (
    <SnackbarProvider
      maxSnack={MOST_AT_ONCE}
      autoHideDuration={SHOWN_MS}
      anchorOrigin={{ vertical: "top", horizontal: "right" }}
      action={(id) => <CloseButton id={id} label={closeLabel} />}
    />
  );
}
