import { act, fireEvent, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { slotted } from "../../kit/slotted";
import type { TreeNode } from "../../runtime/protocol";
import { type WidgetComponent, WidgetRegistry } from "../../runtime/widgets";
import { openPage } from "../../test/openPage";
import { renderWidget } from "../../test/renderWidget";
import { FileDrop } from "./FileDrop";

/** Replaces the browser's XMLHttpRequest. */
class FakeRequest {
  static all: FakeRequest[] = [];
  readonly upload: { onprogress?: (event: { loaded: number; total: number }) => void } = {};
  readonly headers: Record<string, string> = {};
  onload?: () => void;
  onerror?: () => void;
  onabort?: () => void;
  status = 0;
  responseText = "";
  url = "";
  body: FormData | undefined;

  constructor() {
    FakeRequest.all.push(this);
  }

  open(_method: string, url: string): void {
    this.url = url;
  }

  setRequestHeader(name: string, value: string): void {
    this.headers[name] = value;
  }

  send(body: FormData): void {
    this.body = body;
  }

  abort(): void {
    this.onabort?.();
  }

  async answer(status: number, body: object): Promise<void> {
    this.status = status;
    this.responseText = JSON.stringify(body);
    await act(async () => {
      this.onload?.();
      await Promise.resolve();
    });
  }
}

const props = { label: "Choose files", hint: "PDF up to 20 MB", uploadUrl: "/api/training/documents", accept: ".pdf", refusals: { ".xml": "An .xml file has another format." }, isMultiple: true, maxBytes: 1000 };
const pdf = (name: string, size = 10): File => new File(["x".repeat(size)], name, { type: "application/pdf" });

async function choose(...files: File[]): Promise<void> {
  await userEvent.upload(document.querySelector<HTMLInputElement>("input[type=file]") as HTMLInputElement, files);
}

// tests/ui/widgets/test_files.py expects the same from the server.
const painted = `<div data-widget="FileDrop"><div class="fw-drop" role="group" aria-label="Choose files"><svg class="fw-drop-icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.6" aria-hidden="true"><path d="M12 16V5M7.5 9.5 12 5l4.5 4.5M4 16v2.5A1.5 1.5 0 0 0 5.5 20h13a1.5 1.5 0 0 0 1.5-1.5V16"></path></svg><button type="button" class="fw-button fw-button-outlined">Choose files</button><b>Paste text</b><p class="fw-hint">PDF up to 20 MB</p><input type="file" hidden="" aria-label="Choose files" accept=".pdf,.xml" multiple=""></div></div>`;

it("hydrates the server's HTML", async () => {
  const slot: TreeNode = { f: 1, k: "slot:children", c: [{ t: "b", c: ["Paste text"] }] };
  const tree: TreeNode = { w: "FileDrop", a: props, c: [slot] };
  const widgets = new WidgetRegistry({ FileDrop: () => Promise.resolve({ FileDrop: slotted(FileDrop as unknown as WidgetComponent) }) }, ["FileDrop"]);
  await widgets.loadAll(tree);
  const mismatches = vi.spyOn(console, "error");
  const page = openPage(tree, { html: painted, widgets, isMounted: false });
  const button = screen.getByRole("button", { name: "Choose files" });
  await page;
  expect(screen.getByRole("button", { name: "Choose files" })).toBe(button);
  expect(mismatches).not.toHaveBeenCalled();
});

describe("FileDrop", () => {
  beforeEach(() => {
    FakeRequest.all = [];
    vi.stubGlobal("XMLHttpRequest", FakeRequest);
  });

  it("does not send a dropped file of a type that the file picker would not offer", async () => {
    await renderWidget(<FileDrop {...props} />);
    fireEvent.drop(screen.getByRole("group"), { dataTransfer: { files: [new File(["MZ"], "a.exe"), pdf("B.PDF")] } });
    expect(await screen.findByText("This type of file is not supported. Choose one of .pdf.")).toBeTruthy();
    expect(FakeRequest.all.map(({ body }) => (body?.get("file") as File | undefined)?.name)).toEqual(["B.PDF"]);
  });

  it("says what is the matter with a file that belongs elsewhere, which the file picker offers, too", async () => {
    await renderWidget(<FileDrop {...props} />);
    expect(document.querySelector("input[type=file]")?.getAttribute("accept")).toBe(".pdf,.xml");
    await choose(new File(["<a/>"], "Extract.XML"));
    expect(await screen.findByText("An .xml file has another format.")).toBeTruthy();
    expect(FakeRequest.all).toEqual([]);
  });

  it("stays on the page when a file is dropped outside of the zone", async () => {
    await renderWidget(<FileDrop {...props} />);
    expect(fireEvent.dragOver(document.body)).toBe(false);
    expect(fireEvent.drop(document.body)).toBe(false);
  });

  it("sends files one after the other with the header that marks our own pages", async () => {
    const onUploaded = vi.fn();
    await renderWidget(<FileDrop {...props} onUploaded={onUploaded} />);
    await choose(pdf("a.pdf"), pdf("b.pdf"));
    const [first] = FakeRequest.all;
    expect(FakeRequest.all).toHaveLength(1);
    expect([first?.url, first?.headers["X-Requested-With"], (first?.body?.get("file") as File | undefined)?.name]).toEqual([props.uploadUrl, "fundwright", "a.pdf"]);
    await first?.answer(200, { id: 7 });
    expect(onUploaded).toHaveBeenCalledWith({ name: "a.pdf", answer: { id: 7 } });
    expect(FakeRequest.all).toHaveLength(2);
  });

  it("shows the progress", async () => {
    await renderWidget(<FileDrop {...props} />);
    await choose(pdf("a.pdf"));
    act(() => FakeRequest.all[0]?.upload.onprogress?.({ loaded: 25, total: 100 }));
    expect(screen.getByRole("progressbar", { name: "a.pdf" }).getAttribute("aria-valuenow")).toBe("25");
  });

  it("shows an error until it is dismissed", async () => {
    await renderWidget(<FileDrop {...props} />);
    await choose(pdf("a.pdf"), pdf("big.pdf", 2000));
    await FakeRequest.all[0]?.answer(422, { error: { message: "This PDF is protected by a password." } });
    expect(screen.getByText("This PDF is protected by a password.")).toBeTruthy();
    expect(screen.getByText("This file is too large. The limit is 1 kB.")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Dismiss a.pdf" }));
    expect(screen.queryByText("This PDF is protected by a password.")).toBeNull();
  });

  it("cancels an upload", async () => {
    await renderWidget(<FileDrop {...props} />);
    await choose(pdf("a.pdf"));
    const abort = vi.spyOn(FakeRequest.all[0] as FakeRequest, "abort");
    await act(async () => fireEvent.click(screen.getByRole("button", { name: "Cancel a.pdf" })));
    expect(abort).toHaveBeenCalledOnce();
    expect(screen.queryByText("a.pdf")).toBeNull();
  });

  it("accepts dropped files", async () => {
    await renderWidget(<FileDrop {...props} />);
    await act(async () => fireEvent.drop(screen.getByRole("group", { name: "Choose files" }), { dataTransfer: { files: [pdf("c.pdf")] } }));
    expect(screen.getByText("c.pdf")).toBeTruthy();
  });

  it("folds finished uploads into one line, and lists those that failed", async () => {
    await renderWidget(<FileDrop {...props} />);
    await choose(...Array.from({ length: 5 }, (_, place) => pdf(`${place}.pdf`)));
    const status = screen.getByRole("status");
    for (let place = 0; place < 4; place += 1) await FakeRequest.all[place]?.answer(200, {});
    expect(screen.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual(["4 files uploaded×", "4.pdf×"]);
    expect(status.textContent).toBe("");
    await FakeRequest.all[4]?.answer(422, { error: { message: "This PDF is protected by a password." } });
    expect(screen.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual([
      "4 files uploaded×",
      "4.pdfThis PDF is protected by a password.×",
    ]);
    expect(status.textContent).toBe("4 files uploaded; 4.pdf: This PDF is protected by a password.");
    const dismiss = screen.getByRole("button", { name: "Dismiss 4 files uploaded" });
    dismiss.focus();
    fireEvent.click(dismiss);
    expect(screen.getAllByRole("listitem")).toHaveLength(1);
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Dismiss 4.pdf" }));
    fireEvent.click(screen.getByRole("button", { name: "Dismiss 4.pdf" }));
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Choose files" }));
  });
});
