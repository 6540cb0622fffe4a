import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { MentionsProps } from "../../generated/widgets";
import { useRuntime } from "../../runtime/Runtime";
import { inWorkspace } from "../../runtime/workspace";

const SHOWN = 6;
/** The `@` before the cursor and the beginning of a name, which may contain spaces. */
const BEGUN = /(?:^|[^\p{L}\p{N}@])@([^\s@][^@\n]{0,60}|)$/u;

interface Member {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

interface Offer {
  readonly typed: string;
  readonly members: readonly Member[];
}

/** Offers members after `@` in the text area of its form. Control (or Command) and Enter send the form. */
export function Mentions({ path, takesFocus }: MentionsProps): ReactNode {
  const runtime = useRuntime();
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const [offer, setOffer] = useState<Offer | null>(null);
  const [active, setActive] = useState(0);
  const shown = useRef<{ offer: Offer | null; active: number }>({ offer: null, active: 0 });

  const show = (next: Offer | null, at = 0): void => {
    shown.current = { offer: next, active: at };
    setOffer(next);
    setActive(at);
  };

  const field = (): HTMLTextAreaElement | null => place.current?.closest("form")?.querySelector("textarea") ?? null;

  const choose = (member: Member): void => {
    const text = field();
    const { offer: present } = shown.current;
    if (text === null || present === null) return;
    const hasNamesake = present.members.some((each) => each.name === member.name && each.id !== member.id);
    const end = text.selectionEnd;
    text.setRangeText(`${hasNamesake ? `${member.name} (${member.email})` : member.name} `, end - present.typed.length, end, "end");
    text.dispatchEvent(new Event("input", { bubbles: true }));
    text.focus();
    show(null);
  };
  const latest = useRef(choose);
  useEffect(() => {
    latest.current = choose;
  });

  useEffect(() => {
    const text = field();
    if (text === null) return undefined;
    let asking = new AbortController();
    let withoutMembers: string | null = null;

    const ask = async (typed: string, { signal }: AbortController): Promise<void> => {
      const query = new URLSearchParams({ text: typed.trim(), page_size: String(SHOWN) });
      try {
        const answer = await fetch(inWorkspace(runtime.page.account, `${path}?${query.toString()}`), { signal });
        const members = answer.ok ? ((await answer.json()) as { readonly items: readonly Member[] }).items : [];
        if (signal.aborted) return;
        withoutMembers = members.length === 0 ? typed : null;
        show(members.length === 0 ? null : { typed, members });
      } catch {
        if (!signal.aborted) show(null); // the name can be typed without this help
      }
    };
    const look = (): void => {
      asking.abort();
      asking = new AbortController();
      const typed = text.selectionStart === text.selectionEnd ? BEGUN.exec(text.value.slice(0, text.selectionEnd))?.[1] : undefined;
      if (typed === undefined || (withoutMembers !== null && typed.startsWith(withoutMembers))) {
        if (typed === undefined) withoutMembers = null;
        show(null);
        return;
      }
      void ask(typed, asking);
    };
    const press = (event: KeyboardEvent): void => {
      if (event.isComposing) return;
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        text.form?.requestSubmit();
        return;
      }
      const { offer: present, active: at } = shown.current;
      if (present === null || event.ctrlKey || event.metaKey || event.altKey) return;
      const { members } = present;
      const member = members[at];
      if (event.key === "ArrowDown" || event.key === "ArrowUp") show(present, (at + (event.key === "ArrowDown" ? 1 : members.length - 1)) % members.length);
      else if (event.key === "Escape") show(null);
      else if ((event.key === "Enter" || (event.key === "Tab" && !event.shiftKey)) && member !== undefined) latest.current(member);
      else return;
      event.preventDefault();
    };
    const leave = (): void => {
      asking.abort();
      show(null);
    };
    text.addEventListener("input", look);
    text.addEventListener("click", look);
    text.addEventListener("keydown", press);
    text.addEventListener("blur", leave);
    return () => {
      asking.abort();
      text.removeEventListener("input", look);
      text.removeEventListener("click", look);
      text.removeEventListener("keydown", press);
      text.removeEventListener("blur", leave);
    };
  }, [path, runtime]);

  useEffect(() => {
    const text = field();
    if (!takesFocus || text === null) return;
    text.focus();
    text.setSelectionRange(text.value.length, text.value.length);
  }, [takesFocus]);

  useEffect(() => {
    const text = field();
    const option = offer === null ? null : document.getElementById(`${id}-${active}`);
    text?.setAttribute("aria-autocomplete", "list");
    if (text === null || option === null) {
      text?.removeAttribute("aria-controls");
      text?.removeAttribute("aria-activedescendant");
      return;
    }
    text.setAttribute("aria-controls", id);
    text.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView?.({ block: "nearest" });
  }, [id, offer, active]);

  return (
    <div ref={place} className="fw-mentions">
      {offer === null ? null : (
        <div id={id} className="fw-mentions-list" role="listbox" aria-label={runtime.t("Members")}>
          {offer.members.map((member, index) => (
            <button
              key={member.id}
              id={`${id}-${index}`}
              type="button"
              role="option"
              tabIndex={-1}
              className="fw-mentions-member"
              aria-selected={index === active}
              // The text keeps the focus.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(member)}
            >
              <span>{member.name}</span> <span className="fw-muted fw-small">{member.email}</span>
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
