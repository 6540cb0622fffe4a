// Written by `python -m fundwright_ui.widgets.typescript fundwright_partners.plugin`. Change the declarations in Python.

import type { ReactNode } from "react";

/** A part of the page that can be collapsed. */
export interface FoldProps {
  readonly title: string;
  readonly children?: ReactNode;
}

/** The argument of the default export of a package's module. */
export interface Kit {
  readonly React: typeof import("react");
  readonly ReactDOM: typeof import("react-dom");
  /** Fetches MUI. The module's widgets then have its theme, with the colors and the mode of the page. */
  readonly mui: () => Promise<typeof import("@mui/material")>;
  readonly theme: {
    /** A design token as CSS: `theme.css("primary")` is `var(--fw-primary)`. */
    readonly css: (token: string) => string;
    /** A hook: whether the page is light or dark. */
    readonly useMode: () => "light" | "dark";
  };
  /** Translates a sentence, which must be a literal in the call. */
  readonly t: (sentence: string) => string;
  readonly toast: (message: string, variant: "success" | "info" | "warning" | "error") => void;
}
