import "./FileDrop.css";
import LinearProgress from "@mui/material/LinearProgress";
import { type DragEvent, type MouseEvent, type ReactNode, useEffect, useRef, useState } from "react";
import type { FileDropProps } from "../../generated/widgets";
import { useRuntime } from "../../runtime/Runtime";
import { inWorkspace } from "../../runtime/workspace";
import { MuiScope } from "../../theme/MuiScope";
import { type UploadItem, useUploads } from "./useUploads";

/** Uploads files that are chosen or dropped, and shows the progress of each. Several that are finished are one line. */
export function FileDrop(props: FileDropProps): ReactNode {
  const { label, hint, uploadUrl, accept, refusals, isMultiple, maxBytes, children, onUploaded } = props;
  const { t, page } = useRuntime();
  const picker = useRef<HTMLInputElement>(null);
  const chooser = useRef<HTMLButtonElement>(null);
  const [isOver, setOver] = useState(false);
  const { items, add, remove } = useUploads({
    url: inWorkspace(page.account, uploadUrl),
    check: (file) => {
      const refused = Object.keys(refusals).find((ending) => isAccepted(file, ending));
      if (refused !== undefined) return refusals[refused] ?? "";
      if (!isAccepted(file, accept)) return t("This type of file is not supported. Choose one of {kinds}.").replace("{kinds}", accept.replaceAll(",", " "));
      return file.size > maxBytes ? t("This file is too large. The limit is {size}.").replace("{size}", formatSize(maxBytes, t)) : "";
    },
    onUploaded: (name, answer) => onUploaded?.({ name, answer }),
  });

  useEffect(() => {
    // The browser would open a file that is dropped outside of the zone, and leave the page with everything that was typed.
    const stay = (event: Event): void => event.preventDefault();
    addEventListener("dragover", stay);
    addEventListener("drop", stay);
    return () => {
      removeEventListener("dragover", stay);
      removeEventListener("drop", stay);
    };
  }, []);

  const over = (event: DragEvent): void => {
    event.preventDefault();
    setOver(true);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const files = [...event.dataTransfer.files];
    add(isMultiple ? files : files.slice(0, 1));
  };

  const done = items.filter(({ state }) => state === "done");
  const isFolded = done.length > 1;
  const summary = t("{n} files uploaded").replace("{n}", String(done.length));
  const dismiss = (event: MouseEvent, ids: readonly number[]): void => {
    const row = event.currentTarget.closest("li");
    const next = (row?.nextElementSibling ?? row?.previousElementSibling)?.querySelector("button");
    (next ?? chooser.current)?.focus();
    remove(ids);
  };

  return (
    <>
      <div
        className="fw-drop"
        role="group"
        aria-label={label}
        data-over={isOver || undefined}
        onDragOver={over}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <svg className="fw-drop-icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.6" aria-hidden="true">
          <path d="M12 16V5M7.5 9.5 12 5l4.5 4.5M4 16v2.5A1.5 1.5 0 0 0 5.5 20h13a1.5 1.5 0 0 0 1.5-1.5V16" />
        </svg>
        <button ref={chooser} type="button" className="fw-button fw-button-outlined" onClick={() => picker.current?.click()}>
          {label}
        </button>
        {children}
        <p className="fw-hint">{hint}</p>
        <input
          ref={picker}
          type="file"
          hidden
          aria-label={label}
          accept={[accept, ...Object.keys(refusals)].join(",")}
          multiple={isMultiple}
          onChange={({ target }) => {
            add([...(target.files ?? [])]);
            target.value = "";
          }}
        />
      </div>
      {items.length > 0 ? (
        <MuiScope>
          <p className="fw-visually-hidden" role="status">
            {outcome(items, isFolded ? summary : "", t)}
          </p>
          <ul className="fw-uploads" aria-label={t("Uploads")}>
            {isFolded ? (
              <li className="fw-upload">
                <span className="fw-upload-name">{summary}</span>
                <DismissButton label={`${t("Dismiss")} ${summary}`} onClick={(event) => dismiss(event, done.map(({ id }) => id))} />
              </li>
            ) : null}
            {items
              .filter(({ state }) => state !== "done" || !isFolded)
              .map((item) => (
                <UploadRow key={item.id} item={item} onRemove={(event) => dismiss(event, [item.id])} />
              ))}
          </ul>
        </MuiScope>
      ) : null}
    </>
  );
}

/** What is announced once all uploads have ended. Announcing each of many files would leave no time for anything else. */
function outcome(items: readonly UploadItem[], summary: string, t: (message: string) => string): string {
  if (items.some(isRunning)) return "";
  const ended = summary === "" ? items : items.filter(({ state }) => state === "failed");
  const each = ended.map((item) => `${item.name}: ${item.state === "done" ? t("Uploaded") : problemOf(item, t)}`);
  return [...(summary === "" ? [] : [summary]), ...each].join("; ");
}

function problemOf({ problem }: UploadItem, t: (message: string) => string): string {
  return problem || t("The upload did not finish. Try again.");
}

function isRunning({ state }: UploadItem): boolean {
  return state === "waiting" || state === "sending";
}

function UploadRow({ item, onRemove }: { readonly item: UploadItem; readonly onRemove: (event: MouseEvent) => void }): ReactNode {
  const { t } = useRuntime();
  const { name, state, progress } = item;
  return (
    <li className="fw-upload">
      <div className="fw-upload-result">
        <span className="fw-upload-name">{name}</span>
        {isRunning(item) ? <LinearProgress variant="determinate" value={progress * 100} aria-label={name} /> : null}
        {state === "done" ? <span className="fw-chip fw-chip-success">{t("Uploaded")}</span> : null}
        {state === "failed" ? <span className="fw-field-error">{problemOf(item, t)}</span> : null}
      </div>
      <DismissButton label={`${isRunning(item) ? t("Cancel") : t("Dismiss")} ${name}`} onClick={onRemove} />
    </li>
  );
}

function DismissButton({ label, onClick }: { readonly label: string; readonly onClick: (event: MouseEvent) => void }): ReactNode {
  return (
    <button type="button" className="fw-icon-button fw-icon-button-small" aria-label={label} onClick={onClick}>
      ×
    </button>
  );
}

/** Whether the file picker would have offered this file; a dropped file may be of any type. `accept` lists file name extensions. */
function isAccepted(file: File, accept: string): boolean {
  return accept === "" || accept.split(",").some((ending) => file.name.toLowerCase().endsWith(ending.trim().toLowerCase()));
}

function formatSize(bytes: number, t: (message: string) => string): string {
  const megabytes = bytes / 1_000_000;
  return megabytes >= 1
    ? t("{size} MB").replace("{size}", String(Math.round(megabytes)))
    : t("{size} kB").replace("{size}", String(Math.ceil(bytes / 1000)));
}
