/** What a test leaves outside of its pages: listeners of the window, timers, cookies, and everything in the document. */

const listeners: Parameters<typeof removeEventListener>[] = [];
const timers: ReturnType<typeof setTimeout>[] = [];

const addListener = window.addEventListener.bind(window);
window.addEventListener = (...added: Parameters<typeof addEventListener>): void => {
  listeners.push([added[0], added[1], added[2]]);
  addListener(...added);
};

const realTimers = { setTimeout: globalThis.setTimeout, setInterval: globalThis.setInterval };
for (const name of ["setTimeout", "setInterval"] as const) {
  const start = realTimers[name] as (...given: unknown[]) => ReturnType<typeof setTimeout>;
  const recorded = (...given: unknown[]): ReturnType<typeof setTimeout> => {
    const timer = start(...given);
    timers.push(timer);
    return timer;
  };
  Object.assign(globalThis, { [name]: recorded });
}

const root = document.documentElement;
const attributes = Array.from(root.attributes, ({ name, value }) => [name, value] as const);

export function undoOutside(): void {
  for (const listener of listeners.splice(0)) removeEventListener(...listener);
  for (const timer of timers.splice(0)) clearTimeout(timer);
  document.body.replaceChildren();
  document.title = "";
  for (const { name } of Array.from(root.attributes)) root.removeAttribute(name);
  for (const [name, value] of attributes) root.setAttribute(name, value);
  for (const cookie of document.cookie.split("; ")) document.cookie = `${cookie.split("=")[0]}=; path=/; max-age=0`;
}
