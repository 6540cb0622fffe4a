import Divider from "@mui/material/Divider";
import MenuItem from "@mui/material/MenuItem";
import MenuList from "@mui/material/MenuList";
import Popover from "@mui/material/Popover";
import Typography from "@mui/material/Typography";
import { type KeyboardEvent, type ReactNode, type RefObject, useRef, useState } from "react";
import type { WorkspaceMenu } from "../../generated/widgets";
import { MuiScope } from "../../theme/MuiScope";

interface WorkspaceListProps extends WorkspaceMenu {
  readonly label: string;
  readonly isOpen: boolean;
  readonly anchor: RefObject<HTMLButtonElement | null>;
  readonly onChoose: (id: string) => void;
  readonly onClose: () => void;
}

export function WorkspaceList(props: WorkspaceListProps): ReactNode {
  const { label, choices, links, searchLabel, nothing, support, supportLabel, isOpen, anchor, onChoose, onClose } = props;
  const [words, setWords] = useState("");
  const list = useRef<HTMLUListElement>(null);
  const matching = (some: typeof choices): typeof choices =>
    some.filter(({ name }) => name.toLocaleLowerCase().includes(words.trim().toLocaleLowerCase()));
  const own = matching(choices);
  const supported = matching(support);
  const shown = [...own, ...supported];
  const hasSearch = searchLabel !== "";
  const close = (): void => {
    setWords("");
    onClose();
  };
  const press = (event: KeyboardEvent): void => {
    const [first] = shown;
    if (event.key === "ArrowDown") {
      event.preventDefault();
      list.current?.querySelector<HTMLElement>('[role^="menuitem"]')?.focus();
    } else if (event.key === "Enter" && first !== undefined) onChoose(first.id);
  };
  const item = ({ id, name, role, isCurrent }: (typeof choices)[number]): ReactNode => (
    <MenuItem key={id} role="menuitemradio" aria-checked={isCurrent} selected={isCurrent} onClick={() => onChoose(id)} sx={{ gap: 1 }}>
      <Typography component="span" variant="inherit" noWrap sx={{ flex: 1 }}>
        {name}
      </Typography>
      <Typography component="span" variant="body2" color="text.secondary">
        {role}
      </Typography>
      <svg className="fw-icon fw-icon-small" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true" opacity={isCurrent ? 1 : 0}>
        <path d="M9 16.17 4.83 12l-1.42 1.41L9 19 21 7l-1.41-1.41z" />
      </svg>
    </MenuItem>
  );
  return (
    <MuiScope>
      <Popover
        anchorEl={() => anchor.current}
        open={isOpen}
        onClose={close}
        anchorOrigin={{ vertical: "bottom", horizontal: "left" }}
        slotProps={{
          // Rendered at the end of the page as a separate landmark, because all content must be inside a landmark.
          root: { role: "region", "aria-label": label },
          paper: { sx: { minWidth: 240, maxWidth: "min(360px, 90vw)", marginBlockStart: 0.5 } },
        }}
      >
        {hasSearch ? (
          <div className="fw-workspace-search">
            <input
              className="fw-input"
              type="search"
              aria-label={searchLabel}
              placeholder={searchLabel}
              value={words}
              onChange={(event) => setWords(event.target.value)}
              onKeyDown={press}
              // oxlint-disable-next-line jsx-a11y/no-autofocus -- the person has just opened the menu
              autoFocus
            />
          </div>
        ) : null}
        <MenuList ref={list} aria-label={label} autoFocusItem={isOpen && !hasSearch}>
          {own.map(item)}
          {supported.length === 0 ? null : (
            <Typography component="li" variant="body2" color="text.secondary" role="presentation" sx={{ px: 2, pt: 1 }}>
              {supportLabel}
            </Typography>
          )}
          {supported.map(item)}
          {shown.length === 0 ? <MenuItem disabled>{nothing}</MenuItem> : null}
          <Divider component="li" />
          {links.map(({ label: text, href }) => (
            <MenuItem key={href} component="a" href={href} onClick={close}>
              {text}
            </MenuItem>
          ))}
        </MenuList>
      </Popover>
    </MuiScope>
  );
}
