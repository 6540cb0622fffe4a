const CONTROLS = "a[href], button, input, select, textarea, summary, [role=button], [role=tab]";
const STEP_PX = 8;

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

function boxesOf(toasts: HTMLElement): Box[] {
  const { left, top } = toasts.getBoundingClientRect();
  return [...toasts.querySelectorAll<HTMLElement>(".fw-toast")].map((toast) => {
    // Unlike its rectangle, the offset does not depend on the animation with which a toast appears.
    const [x, y] = [left + toast.offsetLeft - toasts.offsetLeft, top + toast.offsetTop - toasts.offsetTop];
    return { left: x, right: x + toast.offsetWidth, top: y, bottom: y + toast.offsetHeight };
  });
}

function boxesIn(controls: readonly Element[]): Box[] {
  return controls
    .map((control) => control.getBoundingClientRect())
    .filter(({ width, height, top, bottom }) => width > 0 && height > 0 && bottom > 0 && top < innerHeight);
}

/**
 * Moves the toasts down to the first place where they cover no control of the page, or else none of a header, because a page full of
 * rows has one in each line. If there is none, they stay at the top. It does not move them while the pointer or the focus is on one.
 */
export function placeToasts(toasts: HTMLElement | null): void {
  if (toasts === null || toasts.matches(":hover, :focus-within")) return;
  toasts.style.removeProperty("margin-block-start");
  const boxes = boxesOf(toasts);
  const controls = [...document.querySelectorAll(CONTROLS)].filter(
    (control) => control.closest(".fw-toasts") === null && getComputedStyle(control).visibility === "visible",
  );
  const inHeaders = controls.filter((control) => control.closest("header") !== null);
  const by = freePlace(boxes, boxesIn(controls)) ?? freePlace(boxes, boxesIn(inHeaders)) ?? 0;
  if (by > 0) toasts.style.setProperty("margin-block-start", `${by}px`);
}

/** How far the boxes must move down to cover none of the others. */
function freePlace(boxes: readonly Box[], others: readonly Box[]): number | undefined {
  const space = innerHeight - Math.max(0, ...boxes.map(({ bottom }) => bottom));
  const covers = (by: number): boolean =>
    boxes.some((box) =>
      others.some(({ left, right, top, bottom }) => left < box.right && right > box.left && top < box.bottom + by && bottom > box.top + by),
    );
  for (let by = 0; by <= space; by += STEP_PX) if (!covers(by)) return by;
  return undefined;
}
