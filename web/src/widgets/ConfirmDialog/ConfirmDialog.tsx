import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogContentText from "@mui/material/DialogContentText";
import DialogTitle from "@mui/material/DialogTitle";
import { type ReactNode, useId } from "react";
import type { ConfirmDialogProps } from "../../generated/widgets";
import { MuiScope } from "../../theme/MuiScope";

/** Asks before something is done; Escape and a press beside the dialog mean no. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactNode {
  const { isOpen, title, text, confirmLabel, cancelLabel, isDanger, onConfirm, onCancel } = props;
  const titleId = useId();
  const textId = useId();
  return (
    <MuiScope>
      <Dialog
        open={isOpen}
        onClose={() => onCancel?.({})}
        aria-labelledby={titleId}
        aria-describedby={text === "" ? undefined : textId}
        fullWidth
        maxWidth="xs"
      >
        <DialogTitle id={titleId}>{title}</DialogTitle>
        {text === "" ? null : (
          <DialogContent>
            <DialogContentText id={textId}>{text}</DialogContentText>
          </DialogContent>
        )}
        <DialogActions sx={{ padding: 3, paddingBlockStart: 1 }}>
          <Button color="inherit" variant="outlined" onClick={() => onCancel?.({})}>
            {cancelLabel}
          </Button>
          <Button color={isDanger ? "error" : "primary"} variant="contained" onClick={() => onConfirm?.({})}>
            {confirmLabel}
          </Button>
        </DialogActions>
      </Dialog>
    </MuiScope>
  );
}
