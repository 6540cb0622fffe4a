import { lazy, type ReactNode, Suspense, useRef, useState } from "react";
import type { AccountMenuProps } from "../../generated/widgets";
import { Waiting } from "../../runtime/Waiting";

const AccountMenuList = lazy(async () => ({ default: (await import("./AccountMenuList")).AccountMenuList }));

/** The photo or initial of the signed-in person. A click opens the account menu, whose code is fetched first. */
export function AccountMenu(props: AccountMenuProps): ReactNode {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [wasOpened, setOpened] = useState(false);
  const open = (): void => {
    setOpened(true);
    setOpen(true);
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className="fw-avatar"
        aria-label={props.label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={open}
      >
        {props.photo ? <img className="fw-avatar" src={props.photo} alt="" /> : (props.name || props.email).slice(0, 1)}
      </button>
      {wasOpened ? (
        <Suspense fallback={<Waiting />}>
          <AccountMenuList {...props} isOpen={isOpen} anchor={button} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
