import * as mui from "@mui/material";
import type { ReactNode } from "react";
import type { WidgetComponent } from "../runtime/widgets";
import { MuiScope } from "../theme/MuiScope";

export { mui };

/** Wraps a component in our MUI theme. */
export function inScope(Component: WidgetComponent): WidgetComponent {
  return function InScope(props: Record<string, unknown>): ReactNode {
    return (
      <MuiScope>
        <Component {...props} />
      </MuiScope>
    );
  };
}
