/**
 * Answers below the form of their question (`data-answers`) are scrolled into view when they arrive, if they are outside of it. The focus stays in
 * the form. Whoever does something else meanwhile is not interrupted.
 */

import type { Unsubscribe } from "./signal";

const ANSWERS = "[data-answers]";
const INTERRUPTIONS = ["pointerdown", "keydown", "wheel", "touchmove"] as const;
/** So much of the answers has to be in sight. */
const SEEN_PX = 120;

export function followAnswers(): Unsubscribe {
  let stop: Unsubscribe = () => undefined;

  const show = (answers: HTMLElement): void => {
    const { top } = answers.getBoundingClientRect();
    if (top >= 0 && top <= innerHeight - SEEN_PX) return;
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    answers.scrollIntoView({ block: "start", behavior: isCalm ? "auto" : "smooth" });
  };
  const submit = ({ target }: SubmitEvent): void => {
    const answers = target instanceof Element ? target.parentElement?.querySelector<HTMLElement>(`:scope > ${ANSWERS}`) : null;
    if (answers == null) return;
    stop();
    const observer = new MutationObserver(() => {
      if (answers.getAttribute("data-answers") === "") return;
      stop();
      show(answers);
    });
    stop = () => {
      observer.disconnect();
      for (const name of INTERRUPTIONS) removeEventListener(name, stop, true);
    };
    observer.observe(answers, { attributes: true, attributeFilter: ["data-answers"] });
    for (const name of INTERRUPTIONS) addEventListener(name, stop, true);
  };

  document.addEventListener("submit", submit);
  return () => {
    stop();
    document.removeEventListener("submit", submit);
  };
}
