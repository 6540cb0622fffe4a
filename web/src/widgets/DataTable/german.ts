import { deDE } from "@mui/x-data-grid/locales";

export const text = deDE.components.MuiDataGrid.defaultProps.localeText;
