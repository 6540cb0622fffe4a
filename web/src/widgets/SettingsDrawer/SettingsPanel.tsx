import "./SettingsPanel.css";
import Drawer from "@mui/material/Drawer";
import FormControl from "@mui/material/FormControl";
import FormControlLabel from "@mui/material/FormControlLabel";
import Stack from "@mui/material/Stack";
import Switch from "@mui/material/Switch";
import ToggleButton from "@mui/material/ToggleButton";
import ToggleButtonGroup from "@mui/material/ToggleButtonGroup";
import Typography from "@mui/material/Typography";
import { type ReactNode, useId, useState } from "react";
import type { SettingsDrawerProps } from "../../generated/widgets";
import { useRuntime } from "../../runtime/Runtime";
import {
  areShortcutsOn,
  changeSettings,
  type Settings,
  settings,
  switchShortcuts,
  THEME_COLORS,
  THEME_MODES,
} from "../../runtime/settings";
import { useSignal } from "../../runtime/signal";
import { MuiScope } from "../../theme/MuiScope";
import { keepLanguage } from "./language";

interface SettingsPanelProps extends SettingsDrawerProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

type Names<T extends string> = Readonly<Record<T, string>>;

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly T[];
  readonly names: Names<T>;
  readonly onChoose: (value: T) => void;
}

function Choice<T extends string>({ label, value, options, names, onChoose }: ChoiceProps<T>): ReactNode {
  const id = useId();
  return (
    <FormControl>
      <span id={id} className="fw-label fw-setting-label">
        {label}
      </span>
      <ToggleButtonGroup
        aria-labelledby={id}
        exclusive
        fullWidth
        size="small"
        color="primary"
        value={value}
        onChange={(_event, chosen: T | null) => {
          if (chosen !== null) onChoose(chosen);
        }}
      >
        {options.map((option) => (
          <ToggleButton key={option} value={option}>
            {names[option]}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
    </FormControl>
  );
}

function ColorChoice({ value }: { readonly value: Settings["themeColor"] }): ReactNode {
  const { t } = useRuntime();
  const names: Names<typeof value> = {
    default: t("Default"),
    purple: t("Purple"),
    cyan: t("Cyan"),
    blue: t("Blue"),
    orange: t("Orange"),
    red: t("Red"),
  };
  return (
    <fieldset className="fw-swatches">
      <legend className="fw-label fw-setting-label">{t("Color")}</legend>
      {THEME_COLORS.map((color) => (
        <button
          key={color}
          type="button"
          className="fw-swatch"
          data-swatch={color}
          aria-label={names[color]}
          aria-pressed={color === value}
          onClick={() => changeSettings({ themeColor: color })}
        />
      ))}
    </fieldset>
  );
}

/** Single-key shortcuts interfere with speech input, so they can be turned off (WCAG 2.1.4). */
function ShortcutsSwitch(): ReactNode {
  const { t } = useRuntime();
  const [areOn, setOn] = useState(areShortcutsOn);
  const change = (isOn: boolean): void => {
    switchShortcuts(isOn);
    setOn(isOn);
  };
  return (
    <FormControlLabel
      className="fw-for-keys"
      control={<Switch checked={areOn} onChange={(_event, isOn) => change(isOn)} />}
      label={t("Single-key shortcuts")}
      slotProps={{ typography: { variant: "body2" } }}
    />
  );
}

/** The settings for mode, color, direction, width, shortcuts, and language. */
export function SettingsPanel({ language, languages, onLanguage, isOpen, onClose }: SettingsPanelProps): ReactNode {
  const { t, page } = useRuntime();
  const { themeMode, themeDirection, themeColor, themeStretch } = useSignal(settings);
  const titleId = useId();
  const languageId = useId();
  const speak = (text: string): void => {
    const code = languages.find((each) => each.code === text)?.code;
    if (code === undefined) return;
    keepLanguage(code, page.base);
    onLanguage?.({ code });
  };
  return (
    <MuiScope>
      <Drawer
        anchor="right"
        open={isOpen}
        onClose={onClose}
        slotProps={{ paper: { role: "dialog", "aria-labelledby": titleId, sx: { width: 320, maxWidth: "100vw" } } }}
      >
        <Stack sx={{ padding: 3, gap: 3 }}>
          <Stack direction="row" sx={{ alignItems: "center", justifyContent: "space-between" }}>
            <Typography id={titleId} variant="h6" component="h2">
              {t("Settings")}
            </Typography>
            <button type="button" className="fw-icon-button" aria-label={t("Close")} onClick={onClose}>
              <svg viewBox="0 0 24 24" stroke="currentColor" strokeWidth="2" strokeLinecap="round" aria-hidden="true">
                <path d="M6 6l12 12M18 6L6 18" />
              </svg>
            </button>
          </Stack>
          <Choice
            label={t("Mode")}
            value={themeMode}
            options={THEME_MODES}
            names={{ light: t("Light"), dark: t("Dark"), system: t("System") }}
            onChoose={(mode) => changeSettings({ themeMode: mode })}
          />
          <ColorChoice value={themeColor} />
          <Choice
            label={t("Direction")}
            value={themeDirection}
            options={["ltr", "rtl"]}
            names={{ ltr: t("Left to right"), rtl: t("Right to left") }}
            onChoose={(direction) => changeSettings({ themeDirection: direction })}
          />
          <FormControlLabel
            control={
              <Switch checked={themeStretch} onChange={(_event, isOn) => changeSettings({ themeStretch: isOn })} />
            }
            label={t("Use full width")}
            slotProps={{ typography: { variant: "body2" } }}
          />
          <ShortcutsSwitch />
          <div>
            <label htmlFor={languageId} className="fw-label fw-setting-label">
              {t("Language")}
            </label>
            <select id={languageId} className="fw-input" value={language} onChange={(event) => speak(event.target.value)}>
              {languages.map(({ code, label }) => (
                <option key={code} value={code}>
                  {label}
                </option>
              ))}
            </select>
          </div>
        </Stack>
      </Drawer>
    </MuiScope>
  );
}
