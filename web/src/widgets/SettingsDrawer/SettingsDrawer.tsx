import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import type { SettingsDrawerProps } from "../../generated/widgets";
import { useRuntime } from "../../runtime/Runtime";
import { settingsAreOpen } from "../../runtime/settings";
import { useSignal } from "../../runtime/signal";
import { Waiting } from "../../runtime/Waiting";

const SettingsPanel = lazy(async () => ({ default: (await import("./SettingsPanel")).SettingsPanel }));

/** The button for the theme and language settings. The panel's code is fetched when it is first opened. */
export function SettingsDrawer(props: SettingsDrawerProps): ReactNode {
  const { t } = useRuntime();
  const isOpen = useSignal(settingsAreOpen);
  const [wasOpened, setOpened] = useState(false);
  if (isOpen && !wasOpened) setOpened(true);
  useEffect(() => () => settingsAreOpen.set(false), []);
  return (
    <>
      <button type="button" className="fw-icon-button" aria-label={t("Settings")} aria-haspopup="dialog" onClick={() => settingsAreOpen.set(true)}>
        <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" aria-hidden="true">
          <path d="M4 7h9M19 7h1M4 17h1M11 17h9" />
          <circle cx="16" cy="7" r="2.6" />
          <circle cx="8" cy="17" r="2.6" />
        </svg>
      </button>
      {wasOpened ? (
        <Suspense fallback={<Waiting />}>
          <SettingsPanel {...props} isOpen={isOpen} onClose={() => settingsAreOpen.set(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
