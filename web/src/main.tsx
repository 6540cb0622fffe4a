import "./theme/icon.svg";
import "./theme/index.css";
import { startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { App } from "./runtime/App";
import { keepTimeZone } from "./runtime/dates";
import { replayEarly } from "./runtime/early";
import { keepFields } from "./runtime/keptFields";
import type { Page } from "./runtime/protocol";
import { Runtime } from "./runtime/Runtime";
import { followOtherTabs, renewTokenInTime, signInWithToken } from "./runtime/session";
import { followSettings } from "./runtime/settings";
import { widgets } from "./widgets";

function readPage(): Page {
  const text = document.getElementById("page")?.textContent;
  if (!text) throw new Error("The document carries no page.");
  return JSON.parse(text) as Page;
}

/** Checks who is signed in. The page is not ready until then, and never becomes ready if it has to load another page. */
async function settleSession({ page, readiness }: Runtime): Promise<void> {
  const release = readiness.hold();
  const isLeaving = await signInWithToken(page.base, page.account !== null);
  if (isLeaving) return;
  delete document.documentElement.dataset["settling"];
  release();
}

async function start(): Promise<void> {
  const page = readPage();
  const root = document.getElementById("root");
  if (root === null) throw new Error("The document has no #root.");
  followSettings();
  keepTimeZone(page.base);
  const runtime = new Runtime(page);
  followOtherTabs(() => keepFields(page.account));
  void settleSession(runtime);
  renewTokenInTime(page.base);
  widgets.addModules(runtime);
  await widgets.loadAll(page.tree);
  runtime.start();
  // In a transition, React hydrates in short tasks, so that the page responds in between. What a person clicks is hydrated at once.
  startTransition(() => {
    hydrateRoot(root, <App runtime={runtime} widgets={widgets} />);
  });
  replayEarly();
  // Most screens for signed-in people show a table.
  if (page.account !== null) widgets.load("DataTable");
}

// In a task of its own, after the one that evaluates the modules.
setTimeout(() => void start());
