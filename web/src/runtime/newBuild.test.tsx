import { act, fireEvent, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { FakeServer } from "../test/FakeServer";
import { FakeSocket } from "../test/FakeSocket";
import { closePages, type OpenedPage, openPage } from "../test/openPage";
import type { ServerFrame, TreeNode } from "./protocol";

const form: TreeNode = {
  t: "form",
  c: [
    { t: "input", a: { "aria-label": "Name", name: "name" } },
    { t: "input", a: { "aria-label": "Secret", name: "secret", type: "password" } },
    { t: "button", a: { type: "button" }, e: { onClick: { h: "press" } }, c: ["Press"] },
  ],
};
const deployed: ServerFrame = { type: "mount", tree: "from the new build", title: "New", session: "new", build: "c" };
const reload = vi.fn();

beforeEach(() => {
  reload.mockReset();
  vi.stubGlobal("location", { pathname: "/form", search: "", origin: "http://localhost:3000", host: "localhost:3000", reload });
});

/** The connection is lost, and a server with another build accepts the next one. */
async function deploy(page: OpenedPage, meanwhile = async () => {}): Promise<void> {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  await act(async () => page.socket().close());
  await meanwhile();
  await act(() => vi.advanceTimersByTimeAsync(1000));
  vi.useRealTimers();
  await act(async () => FakeSocket.last.open());
  await page.receive(deployed);
}

/** What the browser does on `reload`. */
async function loadAgain(options: NonNullable<Parameters<typeof openPage>[1]>["page"]): Promise<OpenedPage> {
  closePages();
  document.body.replaceChildren();
  return openPage(form, { page: options ?? {}, isMounted: false });
}

describe.each(["ada", null])("a page of an older build, opened by %s", (account) => {
  it("reloads once, and keeps its fields except passwords", async () => {
    const page = await openPage(form, { page: { account } });
    await userEvent.type(screen.getByLabelText("Name"), "half a na");
    await userEvent.type(screen.getByLabelText("Secret"), "hush");
    await deploy(page);
    expect(reload).toHaveBeenCalledOnce();
    expect(screen.queryByText("from the new build")).toBeNull();
    expect(page.isReady()).toBe(false);
    await loadAgain({ account, build: "c" });
    expect(screen.getByLabelText<HTMLInputElement>("Name").value).toBe("half a na");
    expect(screen.getByLabelText<HTMLInputElement>("Secret").value).toBe("");
  });
});

it("a page that still has an older build after a reload continues to work", async () => {
  await deploy(await openPage(form));
  const page = await loadAgain({});
  await act(async () => FakeSocket.last.open());
  await page.receive(deployed);
  expect(reload).toHaveBeenCalledOnce();
  expect(screen.getByText("from the new build")).toBeTruthy();
});

describe("a click before the reload", () => {
  const press = async () => void fireEvent.click(screen.getByRole("button", { name: "Press" }));

  it.each(["the server did not answer", "the connection was lost"])("that %s is mentioned afterward", async (when) => {
    const page = await openPage(form);
    if (when === "the server did not answer") await press();
    await deploy(page, when === "the connection was lost" ? press : undefined);
    const again = await loadAgain({ build: "c" });
    await act(async () => FakeSocket.last.open());
    await again.receive({ ...deployed, tree: null });
    expect(await screen.findByText(/connection was interrupted/)).toBeTruthy();
  });
});

describe("a chunk that cannot be fetched", () => {
  const miss = () => act(async () => void dispatchEvent(new Event("vite:preloadError")));

  it("reloads the page when the server has another build", async () => {
    FakeServer.start({ build: "c" });
    await openPage(form);
    await miss();
    await vi.waitFor(() => expect(reload).toHaveBeenCalledOnce());
  });

  it.each([{ build: "b" }, { isDown: true }])("does not when the server says %o", async (server) => {
    const fake = FakeServer.start(server);
    await openPage(form);
    await miss();
    await vi.waitFor(() => expect(fake.requests).toEqual(["GET /connection"]));
    await act(() => Promise.resolve());
    expect(reload).not.toHaveBeenCalled();
  });
});
