import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import { type ReactNode, type SubmitEvent, useId } from "react";
import type { ReauthenticationDialogProps } from "../../generated/widgets";
import { MuiScope } from "../../theme/MuiScope";
import { supportsPasskeys, usePasskey } from "../Passkey/usePasskey";

/** Asks the person to re-authenticate before a sensitive action; Escape and a click outside of the dialog cancel it. */
export function ReauthenticationDialog(props: ReauthenticationDialogProps): ReactNode {
  const { title, text, passwordLabel, codeLabel, passkeyLabel, confirmLabel, cancelLabel, error, options, isBusy } = props;
  const { onReauthenticate, onCancel, onStart, onAnswer, onRefused } = props;
  const id = useId();
  usePasskey(options, { onAnswer, onRefused });
  const reauthenticate = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    onReauthenticate?.({ password: textOf(given, "password"), code: textOf(given, "code") });
  };
  return (
    <MuiScope>
      <Dialog open onClose={() => onCancel?.({})} aria-labelledby={`${id}title`} aria-describedby={`${id}text`} fullWidth maxWidth="xs">
        <form noValidate onSubmit={reauthenticate}>
          <DialogTitle id={`${id}title`}>{title}</DialogTitle>
          <DialogContent className="fw-stack">
            <p id={`${id}text`}>{text}</p>
            {error === "" ? null : (
              <div className="fw-alert fw-alert-error" role="alert">
                <div className="fw-alert-body">
                  <p>{error}</p>
                </div>
              </div>
            )}
            {passwordLabel === "" ? null : (
              <Field id={`${id}password`} name="password" type="password" label={passwordLabel} autoComplete="current-password" />
            )}
            {codeLabel === "" ? null : (
              <Field id={`${id}code`} name="code" type="text" label={codeLabel} autoComplete="one-time-code" />
            )}
          </DialogContent>
          <DialogActions sx={{ padding: 3, paddingBlockStart: 1, flexWrap: "wrap", rowGap: 1 }}>
            {passkeyLabel === "" || !supportsPasskeys() ? null : (
              <Button variant="text" onClick={() => onStart?.({})} sx={{ marginInlineEnd: "auto" }}>
                {passkeyLabel}
              </Button>
            )}
            <Button color="inherit" variant="outlined" onClick={() => onCancel?.({})}>
              {cancelLabel}
            </Button>
            <Button type="submit" variant="contained" aria-busy={isBusy || undefined}>
              {confirmLabel}
            </Button>
          </DialogActions>
        </form>
      </Dialog>
    </MuiScope>
  );
}

interface FieldProps {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly label: string;
  readonly autoComplete: string;
}

function Field({ id, name, type, label, autoComplete }: FieldProps): ReactNode {
  return (
    <div className="fw-field">
      <label className="fw-label" htmlFor={id}>
        {label}
      </label>
      <input
        ref={focus}
        id={id}
        name={name}
        type={type}
        className="fw-input"
        autoComplete={autoComplete}
        autoCapitalize="none"
        spellCheck={false}
      />
    </div>
  );
}

function focus(input: HTMLInputElement | null): void {
  input?.focus();
}

function textOf(given: FormData, name: string): string {
  const value = given.get(name);
  return typeof value === "string" ? value : "";
}
