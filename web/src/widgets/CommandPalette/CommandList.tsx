import { type ReactNode, useEffect } from "react";
import type { Command, CommandGroup } from "../../generated/widgets";
import { useRuntime } from "../../runtime/Runtime";

interface CommandListProps {
  readonly id: string;
  readonly groups: readonly CommandGroup[];
  /** The position of the selected command across all groups. */
  readonly active: number;
  readonly onChoose: (place: number) => void;
  readonly onRun: (command: Command) => void;
}

/** The results, in groups. The keyboard focus stays in the field: the selected line is only highlighted. */
export function CommandList({ id, groups, active, onChoose, onRun }: CommandListProps): ReactNode {
  const { t } = useRuntime();
  useEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [id, active, groups]);

  const placeOf = (group: number, number: number): number =>
    groups.slice(0, group).reduce((before, { commands }) => before + commands.length, number);
  return (
    <div id={id} role="listbox" aria-label={t("Results")} className="fw-commands">
      {groups.map((group, number) => (
        <div key={group.label} role="group" aria-labelledby={`${id}-group-${number}`}>
          <p id={`${id}-group-${number}`} role="presentation" className="fw-command-group">
            {group.label}
          </p>
          {group.commands.map((command, within) => {
            const own = placeOf(number, within);
            return (
              <button
                key={command.id}
                id={`${id}-${own}`}
                type="button"
                role="option"
                aria-selected={own === active}
                tabIndex={-1}
                className="fw-command"
                onPointerMove={() => onChoose(own)}
                onClick={() => onRun(command)}
              >
                <span className="fw-command-label">{command.label}</span>
                {command.detail === "" ? null : <span className="fw-command-detail">{command.detail}</span>}
              </button>
            );
          })}
        </div>
      ))}
    </div>
  );
}
