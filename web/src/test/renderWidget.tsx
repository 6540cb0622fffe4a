import { act, render } from "@testing-library/react";
import type { ReactElement } from "react";
import { Runtime, RuntimeContext } from "../runtime/Runtime";

/** Renders a widget inside a runtime, as on a page, for a visitor or an account. */
export async function renderWidget(widget: ReactElement, account: string | null = null): Promise<Runtime> {
  const runtime = new Runtime({
    ...{ tree: "", hash: "", complete: true, title: "", path: "/", base: "", nonce: "n", account, timeZone: null, notice: null, language: "en", strings: {}, modules: {}, build: "b" },
  });
  await act(async () => {
    render(<RuntimeContext value={runtime}>{widget}</RuntimeContext>);
    await Promise.resolve();
  });
  return runtime;
}
