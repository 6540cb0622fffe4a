// Inlined at the start of every page: applies the theme before the first frame, and records what a person does before the
// application has loaded (globalThis.early). It imports only types.
import type { EarlyAct } from "./runtime/early";

(() => {
  const root = document.documentElement;
  const main = document.currentScript?.dataset["main"];
  let chosen: Record<string, unknown>;
  let hasToken = false;
  try {
    hasToken = (localStorage.getItem("token") ?? sessionStorage.getItem("token")) !== null;
    chosen = (JSON.parse(localStorage.getItem("settings") ?? "{}") ?? {}) as Record<string, unknown>;
  } catch {
    chosen = {};
  }
  const { themeMode, themeColor = "default", themeDirection, themeStretch } = chosen;
  const isDark = themeMode === "dark" || (themeMode === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.dataset["mode"] = isDark ? "dark" : "light";
  root.dataset["color"] = String(themeColor);
  root.dir = themeDirection === "rtl" ? "rtl" : "ltr";
  root.toggleAttribute("data-stretch", themeStretch === true);

  // There is no session cookie, but the browser has a token: the page depends on whether the token is still valid.
  if (hasToken && main !== undefined && "visitor" in root.dataset) root.dataset["settling"] = "";

  const early: EarlyAct[] = [];
  globalThis.early = early;
  const isOver = () => globalThis.early !== early;
  document.addEventListener(
    "click",
    ({ target }) => {
      const button = target instanceof Element ? target.closest("button") : null;
      if (button && !isOver() && !(button.type === "submit" && button.form)) early.push({ button });
    },
    true,
  );
  document.addEventListener(
    "submit",
    (event) => {
      if (isOver()) return;
      event.preventDefault();
      early.push({ form: event.target as HTMLFormElement, submitter: event.submitter });
    },
    true,
  );

  const load = () => {
    if (main !== undefined) void import(/* @vite-ignore */ main);
  };
  // Show the readable page in the first frame, and compile scripts after it. A page in a background tab draws no frame.
  document.addEventListener("DOMContentLoaded", () => {
    requestAnimationFrame(() => setTimeout(load));
    setTimeout(load, 250);
  });
})();
