import { slotted } from "../kit/slotted";
import { type WidgetComponent, WidgetRegistry } from "../runtime/widgets";
import { AccountMenu } from "./AccountMenu/AccountMenu";
import { SettingsDrawer } from "./SettingsDrawer/SettingsDrawer";
import { WorkspaceSwitcher } from "./WorkspaceSwitcher/WorkspaceSwitcher";

/** Each module must export the widget under its name. */
type Loaders<Names> = { [Name in keyof Names]: () => Promise<Record<Name & string, unknown>> };

const LOADERS = named({
  AccountMenu: () => Promise.resolve({ AccountMenu }),
  Board: async () => ({ Board: slotted((await import("./Board/Board")).Board as unknown as WidgetComponent) }),
  Chart: () => import("./Chart/Chart"),
  CommandPalette: () => import("./CommandPalette/CommandPalette"),
  ConfirmDialog: () => import("./ConfirmDialog/ConfirmDialog"),
  CopyButton: () => import("./CopyButton/CopyButton"),
  DataTable: () => import("./DataTable/DataTable"),
  FileDrop: async () => ({ FileDrop: slotted((await import("./FileDrop/FileDrop")).FileDrop as unknown as WidgetComponent) }),
  FormDialog: () => import("./FormDialog/FormDialog"),
  LanguageOffer: () => import("./LanguageOffer/LanguageOffer"),
  LeftTexts: () => import("./LeftTexts/LeftTexts"),
  MarkdownView: () => import("./MarkdownView/MarkdownView"),
  Mentions: () => import("./Mentions/Mentions"),
  Passkey: () => import("./Passkey/Passkey"),
  ReauthenticationDialog: () => import("./ReauthenticationDialog/ReauthenticationDialog"),
  SectionEditor: () => import("./SectionEditor/SectionEditor"),
  SettingsDrawer: () => Promise.resolve({ SettingsDrawer }),
  UndoToast: () => import("./UndoToast/UndoToast"),
  UnsavedTexts: () => import("./UnsavedTexts/UnsavedTexts"),
  WorkspaceSwitcher: () => Promise.resolve({ WorkspaceSwitcher }),
});

function named<L extends Loaders<L>>(loaders: L): L {
  return loaders;
}

/**
 * The widgets that Python can use. Those of the shell are part of this chunk; each of the others is a separate chunk. `DataTable` and
 * `FileDrop` are rendered on the server and hydrated in place.
 */
export const widgets = new WidgetRegistry(LOADERS, ["DataTable", "FileDrop"]);
