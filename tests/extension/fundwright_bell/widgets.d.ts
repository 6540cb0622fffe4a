// Written by `python -m fundwright_ui.widgets.typescript fundwright_bell.plugin`. Change the declarations in Python.

export interface Pulled {
  readonly times: number;
}

/** Lets a person choose how often to ring. */
export interface BellPullProps {
  readonly label: string;
  readonly onPulled?: (payload: Pulled, onDone?: () => void) => void;
}
