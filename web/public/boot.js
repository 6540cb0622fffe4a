// Runs inline before the stylesheet: the first paint already has the right theme, and what a person does before the
// application has loaded is kept (window.early) instead of lost.
(() => {
  const root = document.documentElement;
  let chosen;
  try {
    chosen = JSON.parse(localStorage.getItem("settings"));
  } catch {
    chosen = null;
  }
  const { themeMode = "light", themeColor = "default", themeDirection = "ltr", themeStretch = false } = chosen ?? {};
  const isDark = themeMode === "dark" || (themeMode === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.dataset.mode = isDark ? "dark" : "light";
  root.dataset.color = themeColor;
  root.dir = themeDirection === "rtl" ? "rtl" : "ltr";
  root.toggleAttribute("data-stretch", themeStretch === true);

  const early = (globalThis.early = []);
  const isOver = () => globalThis.early !== early;
  document.addEventListener(
    "click",
    (event) => {
      const button = event.target.closest?.("button");
      if (button && !isOver() && !(button.type === "submit" && button.form)) early.push({ button });
    },
    true,
  );
  document.addEventListener(
    "submit",
    (event) => {
      if (isOver()) return;
      event.preventDefault();
      early.push({ form: event.target, submitter: event.submitter });
    },
    true,
  );
})();
