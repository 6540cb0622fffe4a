import { FakeSocket } from "./FakeSocket";

// jsdom has no layout, no media queries, and no modal dialogs.
Object.assign(globalThis, {
  matchMedia: (query: string) => ({
    media: query,
    matches: false,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }),
  scrollTo: () => undefined,
  ResizeObserver: class {
    observe = (): void => undefined;
    unobserve = (): void => undefined;
    disconnect = (): void => undefined;
  },
  WebSocket: FakeSocket,
});

Element.prototype.scrollIntoView = () => undefined;
HTMLDialogElement.prototype.showModal = function showModal() {
  this.open = true;
  this.querySelector<HTMLElement>("input, button")?.focus();
};
HTMLDialogElement.prototype.close = function close() {
  this.open = false;
};
