import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogContentText from "@mui/material/DialogContentText";
import DialogTitle from "@mui/material/DialogTitle";
import { type ReactNode, useId, useState } from "react";
import type { ConfirmDialogProps } from "../../generated/widgets";
import { MuiScope } from "../../theme/MuiScope";

/**
 * Asks before an action. Escape and a click outside of the dialog cancel. While the action runs, the dialog shows that it is busy
 * and can be neither confirmed again nor dismissed.
 */
export function ConfirmDialog(props: ConfirmDialogProps): ReactNode {
  const { isOpen, title, text, confirmLabel, cancelLabel, isDanger, error, onConfirm, onCancel } = props;
  const titleId = useId();
  const textId = useId();
  const [isBusy, setBusy] = useState(false);
  const confirm = (): void => {
    if (isBusy || onConfirm === undefined) return;
    setBusy(true);
    onConfirm({}, () => setBusy(false));
  };
  const cancel = (): void => {
    if (!isBusy) onCancel?.({});
  };
  const busy = { "aria-disabled": isBusy || undefined, "aria-busy": isBusy || undefined };
  return (
    <MuiScope>
      <Dialog
        open={isOpen}
        onClose={cancel}
        aria-labelledby={titleId}
        aria-describedby={text === "" ? undefined : textId}
        fullWidth
        maxWidth="xs"
      >
        <DialogTitle id={titleId}>{title}</DialogTitle>
        {text === "" && error === "" ? null : (
          <DialogContent>
            {text === "" ? null : <DialogContentText id={textId}>{text}</DialogContentText>}
            {error === "" || isBusy ? null : (
              <p className="fw-field-error" role="alert">
                {error}
              </p>
            )}
          </DialogContent>
        )}
        <DialogActions sx={{ padding: 3, paddingBlockStart: 1 }}>
          <Button color="inherit" variant="outlined" onClick={cancel} aria-disabled={isBusy || undefined}>
            {cancelLabel}
          </Button>
          <Button color={isDanger ? "error" : "primary"} variant="contained" onClick={confirm} {...busy}>
            {confirmLabel}
          </Button>
        </DialogActions>
      </Dialog>
    </MuiScope>
  );
}
