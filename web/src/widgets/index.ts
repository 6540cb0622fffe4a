import { WidgetRegistry } from "../runtime/widgets";
import { AccountMenu } from "./AccountMenu/AccountMenu";
import { SettingsDrawer } from "./SettingsDrawer/SettingsDrawer";

const LOADERS = {
  AccountMenu: () => Promise.resolve({ AccountMenu }),
  Chart: () => import("./Chart/Chart"),
  CommandPalette: () => import("./CommandPalette/CommandPalette"),
  ConfirmDialog: () => import("./ConfirmDialog/ConfirmDialog"),
  CopyButton: () => import("./CopyButton/CopyButton"),
  DataTable: () => import("./DataTable/DataTable"),
  FileDrop: () => import("./FileDrop/FileDrop"),
  FormDialog: () => import("./FormDialog/FormDialog"),
  MarkdownView: () => import("./MarkdownView/MarkdownView"),
  Passkey: () => import("./Passkey/Passkey"),
  ReauthenticationDialog: () => import("./ReauthenticationDialog/ReauthenticationDialog"),
  SectionEditor: () => import("./SectionEditor/SectionEditor"),
  SettingsDrawer: () => Promise.resolve({ SettingsDrawer }),
  UnsavedTexts: () => import("./UnsavedTexts/UnsavedTexts"),
};

/**
 * Every widget that Python may name. The shell's own are here at once, each of the others is a chunk of its own;
 * `DataTable` is hydrated where the server painted it.
 */
export const widgets = new WidgetRegistry(LOADERS, ["DataTable"]);
