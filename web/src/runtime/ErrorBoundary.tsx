import { Component, type ContextType, type ReactNode } from "react";
import { Problem } from "./Problem";
import { RuntimeContext } from "./Runtime";

interface Props {
  readonly children: ReactNode;
  /** The name of the failed part in the server's log. */
  readonly part: string;
}

interface State {
  readonly errorId: string | undefined;
}

const INTACT: State = { errorId: undefined };

function newErrorId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(4));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Catches a rendering error, reports it to the server's log, and shows a problem panel with its id and a button to try again. */
export class ErrorBoundary extends Component<Props, State> {
  static override contextType = RuntimeContext;
  declare context: ContextType<typeof RuntimeContext>;
  override state = INTACT;

  static getDerivedStateFromError(): State {
    return { errorId: newErrorId() };
  }

  override componentDidCatch(error: unknown): void {
    if (this.state.errorId !== undefined) this.context?.reportFault(this.state.errorId, this.props.part, String(error));
  }

  override render(): ReactNode {
    const { errorId } = this.state;
    if (errorId === undefined) return this.props.children;
    return <Problem errorId={errorId} onRetry={() => this.setState(INTACT)} />;
  }
}
