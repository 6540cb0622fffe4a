import { frFR } from "@mui/x-data-grid/locales";

export const text = frFR.components.MuiDataGrid.defaultProps.localeText;
