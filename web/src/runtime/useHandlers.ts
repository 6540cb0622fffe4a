import { type SyntheticEvent, useLayoutEffect, useMemo, useRef, useState } from "react";
import { encodeEvent } from "./events";
import type { EventData, Handler, Handlers } from "./protocol";
import { useRuntime } from "./Runtime";

const NONE: Handlers = {};

/** Looks up the current name of a handler; undefined if the element no longer exists. */
export type FindHandler = (event: string) => Handler | undefined;

export function useLatestHandlers(handlers: Handlers = NONE): FindHandler {
  const latest = useRef<Handlers>(handlers);
  useLayoutEffect(() => {
    latest.current = handlers;
    return () => {
      latest.current = NONE;
    };
  }, [handlers]);
  return useMemo(() => (event) => latest.current[event], []);
}

export type ElementHandlers = Readonly<Record<string, (event: SyntheticEvent) => void>>;

/** React event props for an element's handlers, and whether an exclusive handler is running, which drops further events. */
export function useElementHandlers(handlers: Handlers = NONE): readonly [ElementHandlers, boolean] {
  const runtime = useRuntime();
  const find = useLatestHandlers(handlers);
  const [isBusy, setBusy] = useState(false);
  const isRunning = useRef(false);
  const listeners = useMemo(() => {
    const run = (name: string, event: SyntheticEvent): void => {
      if (isRunning.current) return;
      isRunning.current = true;
      setBusy(true);
      runtime.emit(() => find(name), encodeEvent(name, event), () => {
        isRunning.current = false;
        setBusy(false);
      });
    };
    const listen = (name: string, { p, s, o }: Handler) => (event: SyntheticEvent): void => {
      if (p !== undefined) event.preventDefault();
      if (s !== undefined) event.stopPropagation();
      if (o === undefined) runtime.emit(() => find(name), encodeEvent(name, event));
      else run(name, event);
    };
    return Object.fromEntries(Object.entries(handlers).map(([name, handler]) => [name, listen(name, handler)]));
  }, [handlers, find, runtime]);
  return [listeners, isBusy];
}

export type WidgetHandlers = Readonly<Record<string, (payload: EventData, onDone?: () => void) => void>>;

/** Callback props for a widget's handlers: they send the payload and call `onDone` when the handler has ended. */
export function useWidgetHandlers(handlers: Handlers = NONE): WidgetHandlers {
  const runtime = useRuntime();
  const find = useLatestHandlers(handlers);
  return useMemo(() => {
    const send = (name: string) => (payload: EventData = {}, onDone?: () => void): void => {
      runtime.emit(() => find(name), payload, onDone);
    };
    return Object.fromEntries(Object.keys(handlers).map((name) => [name, send(name)]));
  }, [handlers, find, runtime]);
}
