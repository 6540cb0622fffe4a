/** The shapes of docs/runtime-protocol.md. */

export interface Handler {
  readonly h: string;
  readonly p?: 1;
  readonly s?: 1;
  /** Runs once at a time: further events are dropped until the last one is done. */
  readonly o?: 1;
}

export type Attributes = Readonly<Record<string, unknown>>;
export type Handlers = Readonly<Record<string, Handler>>;

export interface ElementNode {
  readonly t: string;
  readonly k?: string | number;
  readonly a?: Attributes;
  readonly e?: Handlers;
  readonly c?: readonly TreeNode[];
}

export interface WidgetNode {
  readonly w: string;
  readonly k?: string | number;
  readonly a?: Attributes;
  readonly e?: Handlers;
  readonly c?: readonly TreeNode[];
}

export interface FragmentNode {
  readonly f: 1;
  readonly k?: string | number;
  readonly c?: readonly TreeNode[];
}

export interface FailedNode {
  readonly x: string;
}

export type ParentNode = ElementNode | WidgetNode | FragmentNode;
export type TreeNode = string | ParentNode | FailedNode;

export interface Page {
  readonly tree: TreeNode;
  readonly hash: string;
  /** Whether no part of the screen is loading or has failed. */
  readonly complete: boolean;
  /** Identifies the files that the server serves. */
  readonly build: string;
  readonly title: string;
  readonly path: string;
  readonly base: string;
  readonly nonce: string;
  readonly language: string;
  readonly strings: Readonly<Record<string, string>>;
  /** The files of other packages' widgets, by widget name: the script, then its stylesheets. */
  readonly modules: Readonly<Record<string, readonly string[]>>;
  /** Whom the page is for, and what text typed on it belongs to: an account, and its workspace unless that is the personal one. */
  readonly account: string | null;
  /** The time zone that the account has chosen; null is the browser's. */
  readonly timeZone: string | null;
  /** What the page says once it is open, such as that it is in another workspace. */
  readonly notice: string | null;
}

export type Path = readonly number[];

export type Operation =
  | readonly ["set", Path, TreeNode]
  | readonly ["attrs", Path, Attributes, readonly string[]]
  | readonly ["events", Path, Handlers]
  | readonly ["children", Path, readonly (number | TreeNode)[]];

export type Variant = "success" | "info" | "warning" | "error";

export interface NavigateFrame {
  readonly type: "navigate";
  readonly path: string;
  readonly replace?: boolean;
  readonly reload?: boolean;
  /** The `seq` of the last `location` that the server had received when it moved. */
  readonly after?: number;
}

export type ServerFrame =
  | { readonly type: "mount"; readonly tree: TreeNode | null; readonly title: string; readonly session: string; readonly build: string }
  | { readonly type: "resumed"; readonly seq: number }
  | { readonly type: "pong" }
  | { readonly type: "patch"; readonly ops: readonly Operation[] }
  | { readonly type: "done"; readonly seq: number; readonly refused?: boolean }
  | { readonly type: "title"; readonly title: string }
  | { readonly type: "toast"; readonly message: string; readonly variant: Variant; readonly error_id?: string }
  | NavigateFrame
  | { readonly type: "arrived" }
  | { readonly type: "handover"; readonly code: string; readonly next: string; readonly remember?: boolean }
  | { readonly type: "ended" }
  | { readonly type: "signed_out"; readonly next: string; readonly forget?: boolean }
  | { readonly type: "download"; readonly url: string }
  | { readonly type: "saved"; readonly form: string }
  | { readonly type: "refused"; readonly sentence: string }
  | { readonly type: "paused"; readonly sentence: string | null };

export type EventData = Readonly<Record<string, unknown>>;

/** A part of the page that failed in the browser, for the server's log. */
export interface Fault {
  readonly id: string;
  readonly part: string;
  readonly message: string;
}

export type ClientFrame =
  | {
      readonly type: "hello";
      readonly path: string;
      readonly account: string | null;
      readonly hash: string | null;
      readonly complete: boolean;
      readonly build: string;
      readonly session?: string;
      readonly received?: number;
    }
  | { readonly type: "event"; readonly seq: number; readonly received: number; readonly target: string; readonly data: EventData }
  | { readonly type: "location"; readonly seq: number; readonly received: number; readonly path: string }
  | ({ readonly type: "fault"; readonly seq: number; readonly received: number } & Fault)
  | { readonly type: "ping"; readonly received: number };
