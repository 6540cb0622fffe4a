import { createTheme, type Theme } from "@mui/material/styles";

const css = (name: string): string => `var(--fw-${name})`;

function color(name: string): { main: string; light: string; dark: string; contrastText: string } {
  return { main: css(name), light: css(`${name}-light`), dark: css(`${name}-dark`), contrastText: css(`${name}-contrast`) };
}

/** MUI's theme. Every color is a custom property from tokens.css, so that MUI widgets match the rest of the page. */
export function createFundwrightTheme(mode: "light" | "dark", direction: "ltr" | "rtl"): Theme {
  return createTheme({
    cssVariables: { nativeColor: true, cssVarPrefix: "m" },
    direction,
    palette: {
      mode,
      primary: color("primary"),
      secondary: color("secondary"),
      info: color("info"),
      success: color("success"),
      warning: color("warning"),
      error: color("error"),
      text: { primary: css("text"), secondary: css("text-muted"), disabled: css("text-disabled") },
      divider: css("divider"),
      background: { default: css("background"), paper: css("paper") },
      action: { hover: css("hover"), selected: css("selected"), active: css("text-muted") },
    },
    shape: { borderRadius: 10 },
    typography: { fontFamily: css("font"), button: { textTransform: "none", fontWeight: 500 }, fontWeightBold: 600 },
    components: {
      MuiPaper: { styleOverrides: { root: { backgroundImage: "none" } } },
      MuiDialog: { styleOverrides: { paper: { borderRadius: 10, boxShadow: css("shadow-dialog") } } },
      MuiMenu: { styleOverrides: { paper: { borderRadius: 10, boxShadow: css("shadow-menu") } } },
      MuiMenuItem: {
        styleOverrides: { root: { minHeight: css("control"), padding: "6px 16px", fontSize: "0.875rem", lineHeight: "1.25rem", fontWeight: 500 } },
      },
      MuiButton: {
        defaultProps: { disableElevation: true },
        // The same border as a button of Python.
        variants: [{ props: { variant: "outlined", color: "inherit" }, style: { borderColor: `color-mix(in srgb, ${css("outline")} 48%, transparent)` } }],
        styleOverrides: { root: { minHeight: css("control"), padding: "7px 16px", lineHeight: "1.25rem" } },
      },
    },
  });
}
