import { createEvent, fireEvent, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { renderWidget } from "../../test/renderWidget";
import { Board } from "./Board";

const onMove = vi.fn();
const transfer = { setData: vi.fn(), effectAllowed: "", dropEffect: "" };

async function renderBoard(): Promise<void> {
  await renderWidget(
    <Board onMove={onMove}>
      <ul data-stage="identified" aria-label="Identified">
        <li data-card="7" draggable>
          <a href="/x">Cloud hosting</a>
        </li>
      </ul>
      <ul data-stage="won" aria-label="Won" />
      <p>Elsewhere</p>
    </Board>,
  );
  fireEvent.dragStart(screen.getByText("Cloud hosting"), { dataTransfer: transfer });
}

describe("Board", () => {
  beforeEach(() => onMove.mockReset());

  it("moves a card to the stage on which it is dropped", async () => {
    await renderBoard();
    const won = screen.getByLabelText("Won");
    fireEvent.dragOver(won, { dataTransfer: transfer });
    expect(won.hasAttribute("data-over")).toBe(true);
    fireEvent.drop(won, { dataTransfer: transfer });
    expect(onMove).toHaveBeenCalledExactlyOnceWith({ id: "7", stage: "won" });
    expect(won.hasAttribute("data-over")).toBe(false);
  });

  it.each(["Identified", "Elsewhere"])("moves nothing when a card is dropped on %s", async (place) => {
    await renderBoard();
    const there = place === "Elsewhere" ? screen.getByText(place) : screen.getByLabelText(place);
    const over = createEvent.dragOver(there, { dataTransfer: transfer });
    fireEvent(there, over);
    expect(over.defaultPrevented).toBe(false);
    fireEvent.drop(there, { dataTransfer: transfer });
    expect(onMove).not.toHaveBeenCalled();
  });

  it("forgets a card when dragging ends", async () => {
    await renderBoard();
    fireEvent.dragEnd(screen.getByText("Cloud hosting"), { dataTransfer: transfer });
    fireEvent.drop(screen.getByLabelText("Won"), { dataTransfer: transfer });
    expect(onMove).not.toHaveBeenCalled();
  });
});
