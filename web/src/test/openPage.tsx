import { act } from "@testing-library/react";
import { Profiler } from "react";
import { hydrateRoot } from "react-dom/client";
import { App } from "../runtime/App";
import type { ClientFrame, Operation, Page, ServerFrame, TreeNode } from "../runtime/protocol";
import { Runtime } from "../runtime/Runtime";
import { WidgetRegistry } from "../runtime/widgets";
import { FakeSocket } from "./FakeSocket";

export interface OpenedPage {
  readonly runtime: Runtime;
  readonly socket: () => FakeSocket;
  readonly receive: (...frames: ServerFrame[]) => Promise<void>;
  readonly patch: (...operations: Operation[]) => Promise<void>;
  readonly sent: () => readonly ClientFrame[];
  readonly mount: (tree?: TreeNode | null) => Promise<void>;
  readonly isReady: () => boolean;
  /** How often React has rendered any part of the page so far. */
  readonly renderings: () => number;
}

interface Options {
  readonly html?: string;
  readonly widgets?: WidgetRegistry;
  readonly page?: Partial<Page>;
  readonly isMounted?: boolean;
}

const closers: (() => void)[] = [];

/** Closes everything that a test opened, so that it does not affect the next test. */
export function closePages(): void {
  for (const close of closers.splice(0)) close();
  document.body.hidden = false;
}

/** Hydrates a page as a browser would and answers its `hello`. */
export async function openPage(tree: TreeNode, { html, widgets, page, isMounted = true }: Options = {}): Promise<OpenedPage> {
  const runtime = new Runtime({
    ...{ tree, hash: "h", complete: true, title: "Start", path: "/", base: "", nonce: "n", account: null, timeZone: null, notice: null, language: "en", strings: {}, modules: {}, build: "b" },
    ...page,
  });
  widgets?.addModules(runtime);
  const root = document.createElement("div");
  document.body.append(root);
  runtime.start();
  let renderings = 0;
  await act(async () => {
    if (html === undefined) {
      // React's own markup stands in for the server's.
      const { renderToString } = await import("react-dom/server");
      root.innerHTML = renderToString(<App runtime={runtime} widgets={widgets ?? new WidgetRegistry({})} />);
    } else root.innerHTML = html;
    const reactRoot = hydrateRoot(
      root,
      <Profiler id="page" onRender={() => (renderings += 1)}>
        <App runtime={runtime} widgets={widgets ?? new WidgetRegistry({})} />
      </Profiler>,
    );
    closers.push(() => {
      runtime.stop();
      act(() => reactRoot.unmount());
      root.remove();
    });
  });
  const receive = async (...frames: ServerFrame[]): Promise<void> => {
    await act(async () => {
      for (const frame of frames) FakeSocket.last.receive(frame);
      await Promise.resolve();
    });
  };
  const mount = async (answer: TreeNode | null = null): Promise<void> => {
    await act(async () => {
      FakeSocket.last.open();
      await Promise.resolve();
    });
    await receive({ type: "mount", tree: answer, title: "Start", session: "s", build: "b" });
  };
  if (isMounted) await mount();
  return {
    runtime,
    socket: () => FakeSocket.last,
    receive,
    patch: (...ops) => receive({ type: "patch", ops }),
    sent: () => FakeSocket.last.sent,
    mount,
    isReady: () => document.documentElement.hasAttribute("data-ready"),
    renderings: () => renderings,
  };
}
