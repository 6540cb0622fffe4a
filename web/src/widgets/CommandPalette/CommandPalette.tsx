import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import type { CommandPaletteProps } from "../../generated/widgets";
import { useRuntime } from "../../runtime/Runtime";
import { Waiting } from "../../runtime/Waiting";
import { listenToKeys, type Panel } from "./keys";

const CommandDialog = lazy(async () => ({ default: (await import("./CommandDialog")).CommandDialog }));
const ShortcutsDialog = lazy(async () => ({ default: (await import("./ShortcutsDialog")).ShortcutsDialog }));

/** The search field and the keyboard shortcuts that open the palette. The dialogs are fetched when they are first opened. */
export function CommandPalette(props: CommandPaletteProps): ReactNode {
  const { t, go } = useRuntime();
  const { shortcuts, onClose } = props;
  const [panel, open] = useState<Panel | null>(null);
  useEffect(() => listenToKeys({ shortcuts, go, open }), [shortcuts, go]);
  const close = (): void => {
    open(null);
    onClose?.({});
  };
  return (
    <>
      <button
        type="button"
        className="fw-search-everything"
        aria-label={t("Search everything")}
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => open("commands")}
      >
        <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" aria-hidden="true">
          <circle cx="10.5" cy="10.5" r="6" />
          <path d="M15 15l5 5" />
        </svg>
        <span>{t("Search")}</span>
        <kbd aria-hidden="true">{`${t("Ctrl")} K`}</kbd>
      </button>
      {panel === null ? null : (
        <Suspense fallback={<Waiting />}>
          {panel === "commands" ? (
            <CommandDialog {...props} onShortcuts={() => open("shortcuts")} onClose={close} />
          ) : (
            <ShortcutsDialog shortcuts={shortcuts} onClose={close} />
          )}
        </Suspense>
      )}
    </>
  );
}
