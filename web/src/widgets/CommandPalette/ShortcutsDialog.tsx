import type { ReactNode } from "react";
import type { Shortcut } from "../../generated/widgets";
import { useRuntime } from "../../runtime/Runtime";
import { areShortcutsOn } from "../../runtime/settings";
import { Modal } from "./Modal";

interface ShortcutsDialogProps {
  readonly shortcuts: readonly Shortcut[];
  readonly onClose: () => void;
}

function Keys({ keys }: { readonly keys: readonly string[] }): ReactNode {
  return keys.map((key, place) => (
    <span key={`${place} ${key}`}>
      <kbd className="fw-key">{key}</kbd>{" "}
    </span>
  ));
}

/** Lists the keyboard shortcuts that work on every page. */
export function ShortcutsDialog({ shortcuts, onClose }: ShortcutsDialogProps): ReactNode {
  const { t } = useRuntime();
  const always: readonly (readonly [string, readonly string[]])[] = [
    [t("Search everything"), [t("Ctrl"), "K"]],
    [t("Search this page"), ["/"]],
    [t("Show these shortcuts"), ["?"]],
  ];
  const ofRows: readonly (readonly [string, readonly string[]])[] =
    document.querySelector("[data-row-keys]") === null
      ? []
      : [
          [t("Next or previous row"), ["J", "K"]],
          [t("Accept"), ["A"]],
          [t("None of these"), ["N"]],
          [t("Choose the category with this number"), ["1", "…", "9"]],
          [t("Undo"), ["U"]],
        ];
  const ofPages: readonly (readonly [string, readonly string[]])[] =
    document.querySelector("[data-page-keys]") === null ? [] : [[t("Next or previous page"), ["N", "P"]]];
  return (
    <Modal label={t("Keyboard shortcuts")} onClose={onClose}>
      <div className="fw-shortcuts">
        <div className="fw-row fw-row-between">
          <h2>{t("Keyboard shortcuts")}</h2>
          <button type="button" className="fw-icon-button" aria-label={t("Close")} onClick={onClose}>
            <svg viewBox="0 0 24 24" stroke="currentColor" strokeWidth="2" strokeLinecap="round" aria-hidden="true">
              <path d="M6 6l12 12M18 6L6 18" />
            </svg>
          </button>
        </div>
        <dl>
          {[...always, ...ofRows, ...ofPages, ...shortcuts.map(({ key, label }) => [label, ["g", key]] as const)].map(([label, keys]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <Keys keys={keys} />
              </dd>
            </div>
          ))}
        </dl>
        <p className="fw-muted">
          {areShortcutsOn()
            ? t("On a Mac, use ⌘ instead of Ctrl. You can turn off single-key shortcuts in Settings.")
            : t("Single-key shortcuts are off. Turn them on in Settings.")}
        </p>
      </div>
    </Modal>
  );
}
