import { type DragEvent, type ReactNode, useRef } from "react";
import type { BoardProps } from "../../generated/widgets";

const CARD = "[data-card]";
const STAGE = "[data-stage]";

/** Cards, rendered on the server, that the mouse drags from one stage to another. */
export function Board({ children, onMove }: BoardProps): ReactNode {
  const dragged = useRef<HTMLElement | null>(null);
  const over = useRef<HTMLElement | null>(null);

  const mark = (stage: HTMLElement | null): void => {
    if (over.current === stage) return;
    over.current?.removeAttribute("data-over");
    stage?.setAttribute("data-over", "");
    over.current = stage;
  };

  /** The stage below the pointer, unless the card is in it. */
  const target = (event: DragEvent): HTMLElement | null => {
    const stage = closest(event.target, STAGE);
    return dragged.current === null || stage === dragged.current.closest(STAGE) ? null : stage;
  };

  const start = (event: DragEvent): void => {
    const card = closest(event.target, CARD);
    if (card === null) return;
    dragged.current = card;
    card.setAttribute("data-dragged", "");
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", card.dataset["card"] ?? "");
  };

  const move = (event: DragEvent): void => {
    const stage = target(event);
    mark(stage);
    if (stage === null) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "move";
  };

  const end = (): void => {
    mark(null);
    dragged.current?.removeAttribute("data-dragged");
    dragged.current = null;
  };

  const drop = (event: DragEvent): void => {
    const stage = target(event)?.dataset["stage"];
    const id = dragged.current?.dataset["card"];
    if (stage === undefined || id === undefined) return;
    event.preventDefault();
    end();
    onMove?.({ id, stage });
  };

  return (
    <div className="fw-board" onDragStart={start} onDragOver={move} onDrop={drop} onDragEnd={end}>
      {children}
    </div>
  );
}

function closest(target: EventTarget, selector: string): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>(selector) : null;
}
