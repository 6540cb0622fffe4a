import { act, render } from "@testing-library/react";
import type { ReactElement } from "react";
import { BrowserRouter } from "react-router";
import { Runtime, RuntimeContext } from "../runtime/Runtime";

/** Renders a widget as it stands in a page: inside the runtime and the router. */
export async function renderWidget(widget: ReactElement): Promise<Runtime> {
  const runtime = new Runtime({
    ...{ tree: "", hash: "", complete: true, title: "", path: "/", base: "", nonce: "n", account: null, timeZone: null, language: "en", strings: {}, modules: {}, build: "b" },
  });
  await act(async () => {
    render(
      <RuntimeContext value={runtime}>
        <BrowserRouter>{widget}</BrowserRouter>
      </RuntimeContext>,
    );
    await Promise.resolve();
  });
  return runtime;
}
