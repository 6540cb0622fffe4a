import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useId, useRef, useState } from "react";
import type { Command, CommandPaletteProps } from "../../generated/widgets";
import { useRuntime } from "../../runtime/Runtime";
import { changeSettings, settingsAreOpen } from "../../runtime/settings";
import { keepLanguage } from "../SettingsDrawer/language";
import { CommandList } from "./CommandList";
import { Modal } from "./Modal";

const PAUSE_MS = 120;

interface CommandDialogProps extends CommandPaletteProps {
  readonly onShortcuts: () => void;
  readonly onClose: () => void;
}

/** A search field with the server's results below it. The focus stays in the field while the arrow keys select a result. */
export function CommandDialog(props: CommandDialogProps): ReactNode {
  const { groups, summary, words, onSearch, onCommand, onLanguage, onShortcuts, onClose } = props;
  const { t, go, page } = useRuntime();
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const isEntered = useRef(false);
  const listId = useId();
  const wanted = typed.trim();
  const isAnswered = words === wanted;
  const commands = groups.flatMap((group) => group.commands);
  const active = Math.min(chosen, commands.length - 1);

  const search = useEffectEvent(() => onSearch?.({ words: wanted }));
  useEffect(() => {
    const timer = setTimeout(search, wanted === "" ? 0 : PAUSE_MS);
    return () => clearTimeout(timer);
  }, [wanted]);

  const run = (command: Command): void => {
    const { path, mode, language, act } = command;
    // Sent before the palette closes, because its handler no longer exists after that.
    if (language !== null) {
      keepLanguage(language, page.base);
      onLanguage?.({ code: language });
    } else if (act === "sidebar" || act === "logout") onCommand?.({ act });
    onClose();
    if (path !== "") go(path);
    else if (mode !== null) changeSettings({ themeMode: mode });
    else if (act === "settings") settingsAreOpen.set(true);
    else if (act === "shortcuts") onShortcuts();
  };

  // If Enter is pressed before the results arrive, it runs the first of them.
  const runEntered = useEffectEvent(() => {
    if (!isEntered.current || !isAnswered) return;
    isEntered.current = false;
    const first = commands[active];
    if (first !== undefined) run(first);
  });
  useEffect(() => runEntered(), [words, groups]);

  const press = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: (active + 1) % commands.length,
      ArrowUp: (active + commands.length - 1) % commands.length,
      PageDown: Math.min(active + 8, commands.length - 1),
      PageUp: Math.max(active - 8, 0),
    };
    const step = steps[event.key];
    if (step !== undefined && commands.length > 0) {
      event.preventDefault();
      setChosen(step);
    } else if (event.key === "Enter" && !event.nativeEvent.isComposing) {
      event.preventDefault();
      const command = commands[active];
      if (!isAnswered) isEntered.current = true;
      else if (command !== undefined) run(command);
    }
  };

  return (
    <Modal label={t("Search everything")} onClose={onClose}>
      <input
        type="text"
        className="fw-input fw-command-input"
        role="combobox"
        aria-label={t("Search everything")}
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={active < 0 ? undefined : `${listId}-${active}`}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        placeholder={t("Search pages, opportunities, drafts, and actions")}
        value={typed}
        onChange={({ target }) => {
          isEntered.current = false;
          setTyped(target.value);
          setChosen(0);
        }}
        onKeyDown={press}
      />
      <CommandList id={listId} groups={groups} active={active} onChoose={setChosen} onRun={run} />
      <p role="status" className={commands.length > 0 ? "fw-visually-hidden" : "fw-command-status"}>
        {isAnswered ? summary : t("Searching…")}
      </p>
    </Modal>
  );
}
