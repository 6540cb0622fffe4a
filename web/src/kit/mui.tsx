import * as mui from "@mui/material";
import type { ReactNode } from "react";
import type { WidgetComponent } from "../runtime/widgets";
import { MuiScope } from "../theme/MuiScope";

export { mui };

/** The same component with our theme around it. */
export function inScope(Component: WidgetComponent): WidgetComponent {
  return function InScope(props: Record<string, unknown>): ReactNode {
    return (
      <MuiScope>
        <Component {...props} />
      </MuiScope>
    );
  };
}
