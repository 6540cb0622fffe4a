import { createContext } from "react";

/**
 * Whether to render what replaces the server's HTML, such as widgets and times in the reader's time zone. It changes in a transition
 * after hydration, so that React renders that in short tasks, too.
 */
export const HydratedContext = createContext(false);
