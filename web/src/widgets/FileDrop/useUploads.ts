import { useReducer, useRef } from "react";
import { type Upload, upload } from "./upload";

export interface UploadItem {
  readonly id: number;
  readonly name: string;
  readonly state: "waiting" | "sending" | "done" | "failed";
  /** Between 0 and 1. */
  readonly progress: number;
  readonly problem: string;
}

interface UploadsOptions {
  readonly url: string;
  /** The error message for a file that must not be sent; "" if it is valid. */
  readonly check: (file: File) => string;
  readonly onUploaded: (name: string, answer: unknown) => void;
}

interface Uploads {
  readonly items: readonly UploadItem[];
  readonly add: (files: readonly File[]) => void;
  readonly remove: (ids: readonly number[]) => void;
}

type Change =
  | { readonly kind: "add"; readonly items: readonly UploadItem[] }
  | { readonly kind: "update"; readonly id: number; readonly changes: Partial<UploadItem> }
  | { readonly kind: "remove"; readonly ids: readonly number[] };

function reduce(items: readonly UploadItem[], change: Change): readonly UploadItem[] {
  switch (change.kind) {
    case "add":
      return [...items, ...change.items];
    case "update":
      return items.map((item) => (item.id === change.id ? { ...item, ...change.changes } : item));
    case "remove":
      return items.filter((item) => !change.ids.includes(item.id));
  }
}

/** Sends files one after the other; a file that failed stays in the list until it is dismissed. */
export function useUploads({ url, check, onUploaded }: UploadsOptions): Uploads {
  const [items, change] = useReducer(reduce, []);
  const queue = useRef<{ readonly id: number; readonly file: File }[]>([]);
  const running = useRef<{ readonly id: number; readonly upload: Upload } | null>(null);
  const lastId = useRef(0);

  const sendNext = async (): Promise<void> => {
    const next = queue.current.shift();
    if (next === undefined) return;
    const { id, file } = next;
    const update = (changes: Partial<UploadItem>): void => change({ kind: "update", id, changes });
    update({ state: "sending" });
    const sending = upload({ url, file, onProgress: (progress) => update({ progress }) });
    running.current = { id, upload: sending };
    try {
      const answer = await sending.answer;
      update({ state: "done", progress: 1 });
      onUploaded(file.name, answer);
    } catch (error) {
      update({ state: "failed", problem: error instanceof Error ? error.message : "" });
    }
    running.current = null;
    await sendNext();
  };

  const add = (files: readonly File[]): void => {
    const added = files.map((file): [UploadItem, File] => {
      lastId.current += 1;
      const problem = check(file);
      const state = problem === "" ? "waiting" : "failed";
      return [{ id: lastId.current, name: file.name, state, progress: 0, problem }, file];
    });
    change({ kind: "add", items: added.map(([item]) => item) });
    for (const [{ id, state }, file] of added) if (state === "waiting") queue.current.push({ id, file });
    if (running.current === null) void sendNext();
  };

  const remove = (ids: readonly number[]): void => {
    change({ kind: "remove", ids });
    queue.current = queue.current.filter((waiting) => !ids.includes(waiting.id));
    if (running.current !== null && ids.includes(running.current.id)) running.current.upload.cancel();
  };

  return { items, add, remove };
}
