// Written by `python -m fundwright_ui.widgets.typescript`. Change the declarations in components/fundwright_ui/widgets.

import type { ReactNode } from "react";

export interface AccountLink {
  readonly label: string;
  readonly href: string;
  readonly isCurrent: boolean;
}

/** The avatar with its menu: the account, links, and logging out. */
export interface AccountMenuProps {
  readonly name: string;
  readonly email: string;
  readonly photo: string;
  readonly label: string;
  readonly links: readonly AccountLink[];
  readonly logoutLabel: string;
  readonly onLogout?: (payload: Readonly<Record<string, never>>, onDone?: () => void) => void;
}

export interface CardMoved {
  readonly id: string;
  readonly stage: string;
}

/** Lets people drag cards with the mouse: among `children`, elements with `data-card` (an id) in elements with `data-stage`. For the keyboard, and for touch screens, each card also needs a control that moves it. */
export interface BoardProps {
  readonly onMove?: (payload: CardMoved, onDone?: () => void) => void;
  readonly children?: ReactNode;
}

export interface Series {
  readonly label: string;
  readonly values: readonly number[];
}

/** Values by day, as lines or stacked bars. For accessibility, also show the values in a table. */
export interface ChartProps {
  readonly label: string;
  readonly days: readonly string[];
  readonly series: readonly Series[];
  readonly kind: "lines" | "bars";
  readonly language: string;
}

export interface Shortcut {
  readonly key: string;
  readonly label: string;
  readonly path: string;
}

export interface CommandGroup {
  readonly label: string;
  readonly commands: readonly Command[];
}

export interface Command {
  readonly id: string;
  readonly label: string;
  readonly detail: string;
  readonly path: string;
  readonly mode: "light" | "dark" | "system" | null;
  readonly language: "en" | "de" | "fr" | null;
  readonly act: "settings" | "shortcuts" | "sidebar" | "logout" | null;
}

export interface WordsTyped {
  readonly words: string;
}

export interface ActChosen {
  readonly act: "settings" | "shortcuts" | "sidebar" | "logout";
}

export interface LanguageChosen {
  readonly code: "en" | "de" | "fr";
}

/** Finds pages, opportunities, drafts, and actions (Ctrl K), and lists the shortcuts (?). `groups` and `summary` are the results for `words`. */
export interface CommandPaletteProps {
  readonly shortcuts: readonly Shortcut[];
  readonly words: string | null;
  readonly groups: readonly CommandGroup[];
  readonly summary: string;
  readonly onSearch?: (payload: WordsTyped, onDone?: () => void) => void;
  readonly onCommand?: (payload: ActChosen, onDone?: () => void) => void;
  readonly onLanguage?: (payload: LanguageChosen, onDone?: () => void) => void;
  readonly onClose?: (payload: Readonly<Record<string, never>>, onDone?: () => void) => void;
}

/** Ask for confirmation, and show that the action is running. Render it only while it is needed, or keep it with `is_open`; close it after the action has succeeded, and pass the `error` of one that has failed. */
export interface ConfirmDialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly text: string;
  readonly confirmLabel: string;
  readonly cancelLabel: string;
  readonly isDanger: boolean;
  readonly error: string;
  readonly onConfirm?: (payload: Readonly<Record<string, never>>, onDone?: () => void) => void;
  readonly onCancel?: (payload: Readonly<Record<string, never>>, onDone?: () => void) => void;
}

/** Copies `text` and confirms it. If the browser denies access to the clipboard, shows the text selected, to copy it by hand. */
export interface CopyButtonProps {
  readonly text: string;
  readonly label: string;
  readonly copiedLabel: string;
  readonly refusedLabel: string;
  readonly isSmall: boolean;
  readonly isPath: boolean;
}

export interface TableColumn {
  readonly field: string;
  readonly label: string;
  readonly isNumber: boolean;
  readonly isMoment: boolean;
  readonly isSortable: boolean;
  readonly hrefBase: string;
}

export interface LinkCell {
  readonly label: string;
  readonly href: string;
}

export interface NoteCell {
  readonly label: string;
  readonly note: string;
  readonly color: "primary" | "secondary" | "info" | "success" | "warning" | "error" | "purple";
}

export interface DetailCell {
  readonly label: string;
  readonly detail: string;
}

export interface ActionCell {
  readonly label: string;
  readonly name: string;
}

export interface WatchCell {
  readonly isWatched: boolean;
}

export interface Chip {
  readonly label: string;
  readonly color: "primary" | "secondary" | "info" | "success" | "warning" | "error" | "purple";
  readonly isLocked: boolean;
}

export type TableCell = string | LinkCell | NoteCell | DetailCell | ActionCell | WatchCell | readonly Chip[];

export interface Sort {
  readonly field: string;
  readonly direction: "asc" | "desc";
}

export interface TableQuery {
  readonly page: number;
  readonly pageSize: number;
  readonly sort: Sort | null;
}

export interface RowOpened {
  readonly id: string;
}

/** A table as it is sent: `columns` are those of all pages, `shown` the indexes of those of this page, and `compact` and `wide` of those for narrow screens and only for wide ones. `rows` are the cells of this page by shown column, `ids` identify the rows (see `_short_id`), and `total` counts those of all pages. `widths` of the shown columns are in pixels; the remaining width is shared in proportion, or belongs to a column without one. What differs from page to page is not part of `columns`, which would then be sent with every page. Every row of a dense table is one line, or two on a narrow screen. Every change of page or order calls `on_query`. Created by `data_table`. */
export interface DataTableProps {
  readonly label: string;
  readonly columns: readonly TableColumn[];
  readonly shown: readonly number[];
  readonly compact: readonly number[];
  readonly wide: readonly number[];
  readonly widths: readonly (number | null)[];
  readonly rows: readonly (readonly TableCell[])[];
  readonly ids: readonly string[];
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
  readonly sort: Sort | null;
  readonly isLoading: boolean;
  readonly isDense: boolean;
  readonly emptyText: string;
  readonly onQuery?: (payload: TableQuery, onDone?: () => void) => void;
  readonly onOpen?: (payload: RowOpened, onDone?: () => void) => void;
  readonly onAction?: (payload: RowOpened, onDone?: () => void) => void;
}

export interface FileUploaded {
  readonly name: string;
  readonly answer: unknown;
}

/** A drop zone for files. Each is posted to `upload_url` as the form field `file`, with progress. `children`, such as a button for another way to add something, follow the button that chooses files. */
export interface FileDropProps {
  readonly label: string;
  readonly hint: string;
  readonly uploadUrl: string;
  readonly accept: string;
  readonly refusals: Readonly<Record<string, string>>;
  readonly isMultiple: boolean;
  readonly maxBytes: number;
  readonly onUploaded?: (payload: FileUploaded, onDone?: () => void) => void;
  readonly children?: ReactNode;
}

/** A server-rendered form in a dialog. See `form_dialog`. */
export interface FormDialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly onClose?: (payload: Readonly<Record<string, never>>, onDone?: () => void) => void;
  readonly children?: ReactNode;
}

export interface OfferedLanguage {
  readonly code: "en" | "de" | "fr";
  readonly accept: string;
  readonly dismiss: string;
}

/** Offers the browser's language, if it is one of these, once in a browser. */
export interface LanguageOfferProps {
  readonly languages: readonly OfferedLanguage[];
}

/** List unsaved texts that only the browser has, of workspaces other than `workspaces`, to which the person belongs. */
export interface LeftTextsProps {
  readonly workspaces: readonly string[];
}

export interface Citation {
  readonly number: number;
  readonly title: string;
}

export interface ClaimMark {
  readonly start: number;
  readonly end: number;
  readonly isCited: boolean;
  readonly note: string;
}

export interface CitationOpened {
  readonly number: number;
  readonly place: number | null;
}

/** Markdown with an allowlist: no HTML, no images, and links only to http, https, and mailto addresses and our own pages. `[n]` opens a citation. */
export interface MarkdownViewProps {
  readonly text: string;
  readonly citations: readonly Citation[];
  readonly marks: readonly ClaimMark[];
  readonly onCitation?: (payload: CitationOpened, onDone?: () => void) => void;
}

/** Offers members after `@` in the text area of its form, with `path` as the API's list of them. Control and Enter send the form. The text area `takes_focus` when it appears. */
export interface MentionsProps {
  readonly path: string;
  readonly takesFocus: boolean;
}

export interface PasskeyAnswered {
  readonly credential: string;
}

export interface PasskeyRefused {
  readonly reason: string;
}

/** Asks the browser for a passkey as soon as `options` are set. With a `label`, it is a button that requests the options. */
export interface PasskeyProps {
  readonly label: string;
  readonly unsupportedLabel: string;
  readonly options: string;
  readonly isBlock: boolean;
  readonly onStart?: (payload: Readonly<Record<string, never>>, onDone?: () => void) => void;
  readonly onAnswer?: (payload: PasskeyAnswered, onDone?: () => void) => void;
  readonly onRefused?: (payload: PasskeyRefused, onDone?: () => void) => void;
}

export interface Reauthentication {
  readonly password: string;
  readonly code: string;
}

/** Asks for the password or a code (depending on which has a label), or for a passkey if `passkey_label` is given. */
export interface ReauthenticationDialogProps {
  readonly title: string;
  readonly text: string;
  readonly passwordLabel: string;
  readonly codeLabel: string;
  readonly passkeyLabel: string;
  readonly confirmLabel: string;
  readonly cancelLabel: string;
  readonly error: string;
  readonly options: string;
  readonly isBusy: boolean;
  readonly onReauthenticate?: (payload: Reauthentication, onDone?: () => void) => void;
  readonly onCancel?: (payload: Readonly<Record<string, never>>, onDone?: () => void) => void;
  readonly onStart?: (payload: Readonly<Record<string, never>>, onDone?: () => void) => void;
  readonly onAnswer?: (payload: PasskeyAnswered, onDone?: () => void) => void;
  readonly onRefused?: (payload: PasskeyRefused, onDone?: () => void) => void;
}

/** Edit a section as formatted text, and save it to the API at `path` while the person types. Each `[n]` is a chip. */
export interface SectionEditorProps {
  readonly path: string;
  readonly heading: string;
  readonly text: string;
  readonly revision: number;
  readonly refusal: string;
  readonly citations: readonly Citation[];
  readonly onCitation?: (payload: CitationOpened, onDone?: () => void) => void;
  readonly onDone?: (payload: Readonly<Record<string, never>>, onDone?: () => void) => void;
}

export interface Language {
  readonly code: "en" | "de" | "fr";
  readonly label: string;
}

/** Theme, direction, color, and width, saved by the browser; and the language, also saved for the account. */
export interface SettingsDrawerProps {
  readonly language: string;
  readonly languages: readonly Language[];
  readonly onLanguage?: (payload: LanguageChosen, onDone?: () => void) => void;
}

/** A notice with a button, for ten seconds. Shown by `use_action(..., undo=...)`. */
export interface UndoToastProps {
  readonly message: string;
  readonly label: string;
  readonly onUndo?: (payload: Readonly<Record<string, never>>, onDone?: () => void) => void;
  readonly onClose?: (payload: Readonly<Record<string, never>>, onDone?: () => void) => void;
}

export interface NamedSection {
  readonly id: string;
  readonly heading: string;
}

export interface SectionChosen {
  readonly id: string;
}

/** List unsaved texts that only the browser has, of sections below the API's `path`. The section that is open for editing shows its own. Texts of other sections than `sections` can only be copied. */
export interface UnsavedTextsProps {
  readonly path: string;
  readonly sections: readonly NamedSection[];
  readonly editing: string;
  readonly onContinue?: (payload: SectionChosen, onDone?: () => void) => void;
}

export interface WorkspaceMenu {
  readonly choices: readonly WorkspaceChoice[];
  readonly links: readonly WorkspaceLink[];
  readonly searchLabel: string;
  readonly nothing: string;
  readonly support: readonly WorkspaceChoice[];
  readonly supportLabel: string;
}

export interface WorkspaceChoice {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly isCurrent: boolean;
}

export interface WorkspaceLink {
  readonly label: string;
  readonly href: string;
}

export interface WorkspaceChosen {
  readonly id: string;
}

/** The name of the workspace, which opens the menu of all workspaces. `menu` is loaded when it opens. */
export interface WorkspaceSwitcherProps {
  readonly label: string;
  readonly name: string;
  readonly menu: WorkspaceMenu | null;
  readonly onOpen?: (payload: Readonly<Record<string, never>>, onDone?: () => void) => void;
  readonly onChoose?: (payload: WorkspaceChosen, onDone?: () => void) => void;
}

/** The argument of the default export of a package's module. */
export interface Kit {
  readonly React: typeof import("react");
  readonly ReactDOM: typeof import("react-dom");
  /** Fetches MUI. The module's widgets then have its theme, with the colors and the mode of the page. */
  readonly mui: () => Promise<typeof import("@mui/material")>;
  readonly theme: {
    /** A design token as CSS: `theme.css("primary")` is `var(--fw-primary)`. */
    readonly css: (token: string) => string;
    /** A hook: whether the page is light or dark. */
    readonly useMode: () => "light" | "dark";
  };
  /** Translates a sentence, which must be a literal in the call. */
  readonly t: (sentence: string) => string;
  readonly toast: (message: string, variant: "success" | "info" | "warning" | "error") => void;
}
