// Written by hand until `python -m fundwright_ui.widgets.typescript` writes it.

export interface AccountLink {
  readonly label: string;
  readonly href: string;
}

export interface AccountMenuProps {
  readonly name: string;
  readonly email: string;
  readonly label: string;
  readonly links: readonly AccountLink[];
  readonly logoutLabel: string;
  readonly onLogout?: (payload: Readonly<Record<string, never>>) => void;
}

export interface ConfirmDialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly text: string;
  readonly confirmLabel: string;
  readonly cancelLabel: string;
  readonly isDanger: boolean;
  readonly onConfirm?: (payload: Readonly<Record<string, never>>) => void;
  readonly onCancel?: (payload: Readonly<Record<string, never>>) => void;
}

export interface Chip {
  readonly label: string;
  readonly color: "primary" | "secondary" | "info" | "success" | "warning" | "error";
}

export interface LinkCell {
  readonly label: string;
  readonly href: string;
}

export interface Column {
  readonly field: string;
  readonly label: string;
  readonly kind: "text" | "number" | "money" | "percent" | "date" | "datetime" | "chips" | "link";
  readonly isSortable: boolean;
  readonly isFilterable: boolean;
  /** Shown on a narrow screen too. */
  readonly isCompact: boolean;
  /** Share of the width that is left. */
  readonly flex: number;
  /** Pixels. */
  readonly minWidth: number;
  /** ISO 4217, for money. */
  readonly currency: string;
}

export type Cell = string | number | boolean | null | LinkCell | readonly Chip[];

export interface Row {
  readonly id: string;
  readonly cells: Readonly<Record<string, Cell>>;
}

export interface Sort {
  readonly field: string;
  readonly direction: "asc" | "desc";
}

export interface Filter {
  readonly field: string;
  readonly operator: string;
  readonly value: string;
}

export interface TableQuery {
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
  readonly sort: Sort | null;
  readonly filters: readonly Filter[];
}

export interface DataTableProps extends TableQuery {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly total: number;
  readonly isLoading: boolean;
  readonly language: string;
  readonly emptyText: string;
  readonly onQuery?: (payload: TableQuery) => void;
  readonly onOpen?: (payload: { readonly id: string }) => void;
}

export interface FileDropProps {
  readonly label: string;
  readonly hint: string;
  readonly uploadUrl: string;
  /** As in `<input accept>`. */
  readonly accept: string;
  readonly isMultiple: boolean;
  readonly maxBytes: number;
  readonly onUploaded?: (payload: { readonly name: string; readonly answer: unknown }) => void;
}

export interface Citation {
  readonly number: number;
  readonly title: string;
}

export interface MarkdownViewProps {
  readonly text: string;
  readonly citations: readonly Citation[];
  readonly onCitation?: (payload: { readonly number: number }) => void;
}

export interface Language {
  readonly code: string;
  readonly label: string;
}

export interface SettingsDrawerProps {
  readonly language: string;
  readonly languages: readonly Language[];
}
