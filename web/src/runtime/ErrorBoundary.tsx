import { Component, type ReactNode } from "react";
import { Problem } from "./Problem";

interface Props {
  readonly children: ReactNode;
}

/** Catches a failure while rendering and shows a problem panel with a second try. */
export class ErrorBoundary extends Component<Props, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return <Problem onRetry={() => this.setState({ hasFailed: false })} />;
  }
}
