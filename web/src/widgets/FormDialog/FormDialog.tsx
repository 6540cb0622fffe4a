import Dialog from "@mui/material/Dialog";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import { type ReactNode, useId } from "react";
import type { FormDialogProps } from "../../generated/widgets";
import { MuiScope } from "../../theme/MuiScope";

/** A server-rendered form in a dialog. Escape closes it. A click outside of it does not, because typed text would be lost. */
export function FormDialog({ isOpen, title, children, onClose }: FormDialogProps): ReactNode {
  const titleId = useId();
  const close = (_event: object, reason: string): void => {
    if (reason === "escapeKeyDown") onClose?.({});
  };
  return (
    <MuiScope>
      <Dialog open={isOpen} onClose={close} aria-labelledby={titleId} fullWidth maxWidth="sm">
        <DialogTitle id={titleId}>{title}</DialogTitle>
        <DialogContent>{children}</DialogContent>
      </Dialog>
    </MuiScope>
  );
}
