import { lazy, type ReactNode, Suspense, useRef, useState } from "react";
import type { WorkspaceSwitcherProps } from "../../generated/widgets";
import { Waiting } from "../../runtime/Waiting";

const WorkspaceList = lazy(async () => ({ default: (await import("./WorkspaceList")).WorkspaceList }));

/** The name of the workspace. A click opens the menu of all workspaces; its code and content are fetched first. */
export function WorkspaceSwitcher({ label, name, menu, onOpen, onChoose }: WorkspaceSwitcherProps): ReactNode {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const open = (): void => {
    setOpen(true);
    onOpen?.({});
  };
  const close = (): void => setOpen(false);
  const choose = (id: string): void => {
    close();
    onChoose?.({ id });
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className="fw-workspace"
        aria-label={`${label}: ${name}`}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        title={name}
        onClick={open}
      >
        <span className="fw-workspace-mark" aria-hidden="true">
          {name.slice(0, 1)}
        </span>
        <span className="fw-workspace-name">{name}</span>
      </button>
      {isOpen && menu === null ? <Waiting /> : null}
      {menu === null ? null : (
        <Suspense fallback={<Waiting />}>
          <WorkspaceList {...menu} label={label} isOpen={isOpen} anchor={button} onChoose={choose} onClose={close} />
        </Suspense>
      )}
    </>
  );
}
