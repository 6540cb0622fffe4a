import createCache from "@emotion/cache";
import { CacheProvider } from "@emotion/react";
import { ThemeProvider } from "@mui/material/styles";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { useRuntime } from "../runtime/Runtime";
import { isDark, type Settings, settings } from "../runtime/settings";
import { useSignal } from "../runtime/signal";
import { isDirectionLoaded, loadDirection, pluginsOf } from "./direction";
import { createFundwrightTheme } from "./theme";

/**
 * MUI's theme and emotion's cache, which follow the settings. It wraps each widget that uses MUI instead of the whole application,
 * so that pages without such a widget, such as the sign-in page, do not load MUI.
 */
export function MuiScope({ children }: { readonly children: ReactNode }): ReactNode {
  const { themeDirection, themeMode } = useSignal(settings);
  const direction = useLoadedDirection(themeDirection);
  const { nonce } = useRuntime().page;
  if (direction === undefined) return null;
  return (
    <Providers direction={direction} mode={isDark(themeMode) ? "dark" : "light"} nonce={nonce}>
      {children}
    </Providers>
  );
}

interface ProvidersProps {
  readonly direction: Settings["themeDirection"];
  readonly mode: "light" | "dark";
  readonly nonce: string;
  readonly children: ReactNode;
}

function Providers({ direction, mode, nonce, children }: ProvidersProps): ReactNode {
  const theme = useMemo(() => createFundwrightTheme(mode, direction), [mode, direction]);
  return (
    <CacheProvider value={findCache(direction, nonce)}>
      <ThemeProvider theme={theme} storageManager={null}>
        {children}
      </ThemeProvider>
    </CacheProvider>
  );
}

type Cache = ReturnType<typeof createCache>;
const caches = new Map<string, Cache>();

/** One cache for a direction, shared by all scopes. */
function findCache(direction: Settings["themeDirection"], nonce: string): Cache {
  const key = direction === "rtl" ? "mr" : "m";
  const known = caches.get(key);
  if (known !== undefined) return known;
  const plugins = pluginsOf(direction);
  const cache = createCache({ key, nonce, ...(plugins && { stylisPlugins: plugins }) });
  caches.set(key, cache);
  return cache;
}

/** The chosen direction once its plug-ins have loaded; until then the previous one, or undefined. */
function useLoadedDirection(chosen: Settings["themeDirection"]): Settings["themeDirection"] | undefined {
  const { readiness } = useRuntime();
  const [loaded, setLoaded] = useState<Settings["themeDirection"]>();
  useEffect(() => {
    if (isDirectionLoaded(chosen)) return;
    const release = readiness.hold();
    void loadDirection(chosen).then(() => {
      setLoaded(chosen);
      release();
    });
  }, [chosen, readiness]);
  return isDirectionLoaded(chosen) ? chosen : loaded;
}
