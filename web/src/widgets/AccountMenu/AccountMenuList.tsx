import Divider from "@mui/material/Divider";
import Menu from "@mui/material/Menu";
import MenuItem from "@mui/material/MenuItem";
import Typography from "@mui/material/Typography";
import type { ReactNode, RefObject } from "react";
import type { AccountMenuProps } from "../../generated/widgets";
import { MuiScope } from "../../theme/MuiScope";

interface AccountMenuListProps extends AccountMenuProps {
  readonly isOpen: boolean;
  readonly anchor: RefObject<HTMLButtonElement | null>;
  readonly onClose: () => void;
}

export function AccountMenuList(props: AccountMenuListProps): ReactNode {
  const { name, email, label, links, logoutLabel, onLogout, isOpen, anchor, onClose } = props;
  const logOut = (): void => {
    onClose();
    onLogout?.({});
  };
  return (
    <MuiScope>
      <Menu
        anchorEl={() => anchor.current}
        open={isOpen}
        onClose={onClose}
        anchorOrigin={{ vertical: "bottom", horizontal: "right" }}
        transformOrigin={{ vertical: "top", horizontal: "right" }}
        slotProps={{
          // Rendered at the end of the page as a separate landmark, because all content must be inside a landmark.
          root: { role: "region", "aria-label": label },
          list: { "aria-label": label },
          paper: { sx: { minWidth: 220, maxWidth: "90vw", marginBlockStart: 1 } },
        }}
      >
        {/* A menu may contain only items, so the name of the signed-in person is an item that cannot be chosen. */}
        <MenuItem disabled sx={{ display: "block", paddingBlock: 1, "&.Mui-disabled": { opacity: 1 } }}>
          <Typography component="span" variant="subtitle2" noWrap sx={{ display: "block" }}>
            {name}
          </Typography>
          <Typography component="span" variant="body2" color="text.secondary" noWrap sx={{ display: "block" }}>
            {email}
          </Typography>
        </MenuItem>
        <Divider />
        {links.map(({ label: text, href, isCurrent }) => (
          <MenuItem key={href} component="a" href={href} selected={isCurrent} aria-current={isCurrent ? "page" : undefined} onClick={onClose}>
            {text}
          </MenuItem>
        ))}
        {links.length > 0 ? <Divider /> : null}
        <MenuItem onClick={logOut}>{logoutLabel}</MenuItem>
      </Menu>
    </MuiScope>
  );
}
