import { beforeEach, describe, expect, it, vi } from "vitest";
import { Runtime } from "../../runtime/Runtime";
import { Autosave, unsavedTexts } from "./Autosave";

const PATH = "/api/drafts/d/sections/s";

interface Sent {
  readonly url: string;
  readonly body: Record<string, unknown>;
}

function page(account = "ada"): Runtime {
  return new Runtime({
    ...{ tree: "", hash: "", complete: true, title: "", path: "/", base: "", nonce: "n", account, timeZone: null, notice: null, language: "en", strings: {}, modules: {}, build: "b" },
  });
}

/** A server with one section. It responds like the route, unless it is offline. */
class Server {
  revision = 3;
  text = "Server text";
  away = false;
  losesAnswers = false;
  readonly sent: Sent[] = [];

  readonly fetch = async (url: string, options: RequestInit): Promise<Response> => {
    const body = JSON.parse(options.body as string) as Record<string, unknown>;
    await Promise.resolve();
    if (this.away) throw new TypeError("Failed to fetch");
    this.sent.push({ url, body });
    if (url.includes("/comparison?")) return Response.json({ section: this.#section(), pieces: [{ kind: "removed", text: this.text }] });
    if (body["based_on"] !== this.revision) return Response.json({ error: { message: "Changed elsewhere." } }, { status: 409 });
    this.text = body["text"] as string;
    this.revision += 1;
    if (this.losesAnswers) throw new TypeError("Failed to fetch");
    return Response.json(this.#section());
  };

  #section(): object {
    return { heading: "Roofs", text: this.text, revision: this.revision };
  }
}

let server: Server;
const open = (revision = 3): Autosave => new Autosave(page(), PATH, { heading: "Roofs", text: server.text }, revision);
const type = (autosave: Autosave, text: string): void => autosave.change({ heading: "Roofs", text });

beforeEach(() => {
  vi.useFakeTimers();
  server = new Server();
  vi.stubGlobal("fetch", server.fetch);
});

describe("Autosave", () => {
  it("saves once after a pause, with the revision that the text is based on", async () => {
    const autosave = open();
    type(autosave, "A");
    type(autosave, "Ab");
    expect(autosave.state.get().kind).toBe("unsaved");
    await vi.advanceTimersByTimeAsync(1_300);
    expect(server.sent.map(({ body }) => [body["text"], body["based_on"]])).toEqual([["Ab", 3]]);
    expect(autosave.state.get().kind).toBe("saved");
    expect(localStorage).toHaveLength(0);
  });

  it("saves in the workspace of the page", async () => {
    const autosave = new Autosave(page("ada/team"), PATH, { heading: "Roofs", text: server.text }, 3);
    type(autosave, "A");
    await vi.advanceTimersByTimeAsync(1_300);
    expect(server.sent.map(({ url }) => url)).toEqual([`${PATH}?w=team`]);
  });

  it("saves during continuous typing", async () => {
    const autosave = open();
    for (let count = 0; count < 30; count += 1) {
      type(autosave, "x".repeat(count + 1));
      await vi.advanceTimersByTimeAsync(300);
    }
    expect(server.sent.length).toBeGreaterThan(0);
  });

  it("keeps the text and retries while the server is unavailable", async () => {
    server.away = true;
    const autosave = open();
    type(autosave, "Offline");
    await vi.advanceTimersByTimeAsync(1_300);
    expect(autosave.state.get()).toEqual({ kind: "failed", problem: "", isRetrying: true });
    expect(open().content.get()).toEqual({ heading: "Roofs", text: "Offline" });
    server.away = false;
    await vi.advanceTimersByTimeAsync(2_100);
    expect(server.text).toBe("Offline");
    expect(autosave.state.get().kind).toBe("saved");
  });

  it("does not conflict with its own save after the response was lost", async () => {
    server.losesAnswers = true;
    const autosave = open();
    type(autosave, "One");
    await vi.advanceTimersByTimeAsync(1_300);
    server.losesAnswers = false;
    type(autosave, "One two");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(server.text).toBe("One two");
    expect(autosave.state.get().kind).toBe("saved");
  });

  it("asks which text to keep when another page has saved, and overwrites it only then", async () => {
    const autosave = open();
    server.text = "Of another tab";
    server.revision = 4;
    type(autosave, "Mine");
    await vi.advanceTimersByTimeAsync(1_300);
    const state = autosave.state.get();
    if (state.kind !== "conflict") throw new Error(`It is ${state.kind}.`);
    expect(state.other.text).toBe("Of another tab");
    type(autosave, "Mine, too");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(server.text).toBe("Of another tab");
    autosave.keepMine(state.other);
    await vi.advanceTimersByTimeAsync(10);
    expect(server.text).toBe("Mine, too");
  });

  it("sends unsaved text when the page is unloaded, and offers it again after a reload", async () => {
    const autosave = open();
    const stop = autosave.start();
    type(autosave, "Last words");
    server.away = true;
    dispatchEvent(new Event("pagehide"));
    stop();
    server.away = false;
    const reloaded = open();
    expect(reloaded.content.get().text).toBe("Last words");
    const leave = reloaded.start();
    await vi.advanceTimersByTimeAsync(1_300);
    expect(server.text).toBe("Last words");
    leave();
  });

  it("leaves text to another tab that is about to save it, and continues with the text of a closed tab", async () => {
    server.away = true;
    const stop = open().start();
    type(open(), "Of another tab");
    await vi.advanceTimersByTimeAsync(300);
    sessionStorage.clear(); // because another tab has its own key
    expect(open().content.get().text).toBe("Server text");
    vi.setSystemTime(Date.now() + 60_000);
    expect(open().content.get().text).toBe("Of another tab");
    stop();
  });

  it("sends a long text when the editor is closed while the page stays open", async () => {
    const autosave = open();
    const stop = autosave.start();
    type(autosave, "x".repeat(70_000));
    stop();
    await vi.advanceTimersByTimeAsync(10);
    expect(server.text).toHaveLength(70_000);
  });

  it("continues to save after the editor is closed while the server is unavailable, and is the same object when it is opened again", async () => {
    server.away = true;
    const runtime = page();
    const edit = (): Autosave => Autosave.of(runtime, PATH, { heading: "Roofs", text: server.text }, server.revision);
    const autosave = edit();
    const stop = autosave.start();
    type(autosave, "Typed");
    stop();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(edit()).toBe(autosave);
    expect(unsavedTexts(runtime, "/api/drafts/d/sections/")).toEqual([expect.objectContaining({ sectionId: "s", text: "Typed" })]);
    server.away = false;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(server.text).toBe("Typed");
    expect(unsavedTexts(runtime, "/api/drafts/d/sections/")).toEqual([]);
    expect(edit()).not.toBe(autosave);
  });

  it("keeps text typed just before signing out, sends none of it, and continues only for the same account", async () => {
    const runtime = page();
    const edit = (account: string): Autosave => new Autosave(page(account), PATH, { heading: "Roofs", text: server.text }, 3);
    const autosave = new Autosave(runtime, PATH, { heading: "Roofs", text: server.text }, 3);
    const stop = autosave.start();
    type(autosave, "Typed");
    runtime.isSignedOut = true;
    dispatchEvent(new Event("pagehide"));
    stop();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(server.sent).toEqual([]);
    expect(edit("eve").content.get().text).toBe("Server text");
    const again = edit("ada");
    const leave = again.start();
    await vi.advanceTimersByTimeAsync(1_300);
    expect(server.text).toBe("Typed");
    leave();
  });

  it("sends nothing on unload that is too large for the browser", () => {
    const sizes: number[] = [];
    vi.stubGlobal("fetch", (_url: string, { body }: RequestInit) => {
      sizes.push(new Blob([body as string]).size);
      return Promise.resolve(Response.json({}));
    });
    const autosave = open();
    autosave.start();
    type(autosave, "水".repeat(20_000));
    dispatchEvent(new Event("pagehide"));
    type(autosave, "水".repeat(19_000));
    dispatchEvent(new Event("pagehide"));
    expect(sizes).toHaveLength(1);
    expect(sizes[0]).toBeLessThan(60_000);
  });

  it("leaves out invisible characters that the server refuses", async () => {
    const autosave = open();
    type(autosave, "a\0b \ud83d c \ud83d\ude00");
    await vi.advanceTimersByTimeAsync(1_300);
    expect(server.text).toBe("ab  c \ud83d\ude00");
  });

  it("checks the sign-in when the server does not recognize the session", async () => {
    const runtime = page();
    const check = vi.spyOn(runtime, "checkSession").mockImplementation(() => undefined);
    vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ error: { message: "Invalid authorization token" } }, { status: 401 })));
    const autosave = new Autosave(runtime, PATH, { heading: "Roofs", text: "" }, 3);
    type(autosave, "Text");
    await vi.advanceTimersByTimeAsync(1_300);
    expect(check).toHaveBeenCalledOnce();
  });

  it("shows the server's message, and does not retry", async () => {
    vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ error: { message: "The draft was not found." } }, { status: 404 })));
    const autosave = open();
    type(autosave, "Text");
    await vi.advanceTimersByTimeAsync(1_300);
    expect(autosave.state.get()).toEqual({ kind: "failed", problem: "The draft was not found.", isRetrying: false });
  });
});
