"""Fields and forms.

A field that is left empty is None if the model accepts None; otherwise it gets the model's default. If the content of a field does not match
its pattern, the form shows the field's description: a sentence such as "Use two letters and four digits."

A field keeps what the person typed until the form is sent; the server gets it earlier only if `on_change` is given. A form validates its
content as a pydantic `model`, if one is given, and shows errors beside the fields that they concern, and others above the button:

```python
class NewCategory(BaseModel):
    name: Annotated[str, Field(min_length=1, max_length=80)]
    description: str = ""

creating = use_action(create)     # async def create(session, new: NewCategory)
form(
    text_field("name", t("Name"), required=True),
    text_area("description", t("Description")),
    on_submit=creating, model=NewCategory, submit=t("Create"),
)
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Literal, Protocol, cast, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from reactpy import component, html, use_ref, use_state
from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright_ui.runtime.connection import use_connection
from fundwright_ui.runtime.events import Handler, Payload, handler, read_checked, read_value
from fundwright_ui.runtime.router import Location
from fundwright_ui.ui.buttons import button
from fundwright_ui.ui.elements import Child, OnEvent, attributes, classes

Fields = dict[str, Any]
"""What a form sends: a text for each name, or a list if a name occurs more than once."""


class _Action(Protocol):
    @property
    def is_running(self) -> bool: ...

    @property
    def error(self) -> str | None: ...

    async def run(self, payload: object, *, on_success: Callable[[], None]) -> None: ...


@dataclass(frozen=True)
class Option:
    """An option of a `select_field`."""

    value: str
    label: str


_SECRET = frozenset(("current-password", "new-password", "one-time-code"))
_WRITTEN = frozenset(("text", "textarea", "email", "url", "tel"))
_CONTROLS = {"input": html.input, "textarea": html.textarea, "select": html.select}


def text_field(
    name: str,
    label: str,
    *,
    value: str | None = None,
    default: str | None = None,
    type: Literal["text", "email", "password", "search", "number", "date", "datetime-local", "url", "tel"] = "text",
    placeholder: str | None = None,
    help: str | None = None,
    error: str | None = None,
    required: bool = False,
    disabled: bool = False,
    autocomplete: str | None = None,
    on_change: OnEvent = None,
    on_blur: OnEvent = None,
    end: Child = None,
    small: bool = False,
    id: str | None = None,
    min: str | None = None,
    max: str | None = None,
    maxlength: int | None = None,
    keyboard: Literal["numeric", "decimal"] | None = None,
    suggestions: str | None = None,
    autofocus: bool = False,
    key: str | None = None,
) -> VdomDict:
    """One line of text. `on_change` gets the text; `value` controls the field, `default` only sets its initial text.

    `keyboard` is what a phone shows for a text of digits, or of an amount. `suggestions` is the id of a `datalist`. `end` is placed inside the field at its end, such as an `icon_button`.
    With `autofocus`, it takes the focus when its dialog opens, with its initial text selected. A `datetime-local` field sends its content as the
    moment in the person's time zone. Raises ValueError for a password with `on_change`: its content is sent with its form, or
    once with `on_blur`, never while it is typed.
    """
    if on_change is not None and (type == "password" or autocomplete in _SECRET):
        raise ValueError(f"The password field {name!r} must not send its content while it is typed: use on_blur, or its form.")
    given = attributes(
        type=type,
        value=value,
        defaultValue=default,
        placeholder=placeholder,
        required=True if required else None,
        disabled=True if disabled else None,
        autoComplete=autocomplete,
        min=min,
        max=max,
        maxLength=maxlength,
        inputMode=keyboard,
        enterKeyHint="search" if type == "search" else None,
        list=suggestions,
        autoFocus=True if autofocus else None,
        **({"data-select": True} if autofocus and default else {}),
    )
    events = _events(on_change, on_blur)
    is_secret = type == "password" or (autocomplete or "") in _SECRET
    return _Field(
        name,
        "secret" if is_secret else type,
        partial(_element, "input", name, label, given, events, (), help, error, end, small, id, key),
    )


def text_area(
    name: str,
    label: str,
    *,
    value: str | None = None,
    default: str | None = None,
    rows: int = 4,
    placeholder: str | None = None,
    help: str | None = None,
    error: str | None = None,
    required: bool = False,
    disabled: bool = False,
    maxlength: int | None = None,
    on_change: OnEvent = None,
    on_blur: OnEvent = None,
    id: str | None = None,
    key: str | None = None,
) -> VdomDict:
    """Several lines of text; otherwise like `text_field`."""
    given = attributes(
        value=value,
        defaultValue=default,
        rows=rows,
        placeholder=placeholder,
        required=True if required else None,
        disabled=True if disabled else None,
        maxLength=maxlength,
    )
    events = _events(on_change, on_blur)
    return _Field(
        name, "textarea", partial(_element, "textarea", name, label, given, events, (), help, error, None, False, id, key)
    )


def select_field(
    name: str,
    label: str,
    options: Sequence[Option | tuple[str, str]],
    *,
    value: str | None = None,
    default: str | None = None,
    help: str | None = None,
    error: str | None = None,
    required: bool = False,
    disabled: bool = False,
    on_change: OnEvent = None,
    small: bool = False,
    id: str | None = None,
    key: str | None = None,
) -> VdomDict:
    """One of several `options` (value and label). `on_change` gets the value."""
    choices = [option if isinstance(option, Option) else Option(*option) for option in options]
    given = attributes(
        value=value,
        defaultValue=default,
        required=True if required else None,
        disabled=True if disabled else None,
    )
    events = _events(on_change, None)
    elements = tuple(html.option({"value": choice.value, "key": choice.value}, choice.label) for choice in choices)
    return _Field(
        name, "select", partial(_element, "select", name, label, given, events, elements, help, error, None, small, id, key)
    )


def checkbox(
    name: str,
    label: str,
    *,
    checked: bool | None = None,
    default: bool | None = None,
    value: str = "on",
    error: str | None = None,
    disabled: bool = False,
    on_change: OnEvent = None,
    id: str | None = None,
    key: str | None = None,
) -> VdomDict:
    """A checkbox. A form omits `name` if it is not checked; `on_change` gets whether it is."""
    given = attributes(
        type="checkbox",
        value=value,
        checked=checked,
        defaultChecked=default,
        disabled=True if disabled else None,
        onChange=handler(on_change, read=read_checked) if on_change else None,
    )
    return _Field(name, "checkbox", partial(_checkbox_element, name, label, given, error, id, key))


def sending_field(key: str) -> VdomDict:
    """A hidden field `key` that identifies what a form adds, so that it is added once even if the page sends it again after a lost
    connection. The browser keeps it together with unsaved text."""
    return html.input({"name": "key", "hidden": True, "readOnly": True, "value": key, "key": "sending"})


@component
def form(
    *children: Child,
    on_submit: OnEvent = None,
    model: type[BaseModel] | None = None,
    submit: str | None = None,
    actions: Sequence[Child] = (),
    label: str | None = None,
    name: str | None = None,
    danger: bool = False,
    is_secondary: bool = False,
    reset_on_success: bool = False,
    based_on: datetime | int | Literal[""] | None = None,
) -> VdomDict:
    """A form. `on_submit` is called with `model` filled from the fields, or with `Fields` if there is no model.

    `submit` is the label of its button, which is the screen's primary one unless the form `is_secondary`; `actions` are placed
    beside it. With `reset_on_success`, the fields are emptied after the handler (if it is an action, only if it succeeded).
    Validation errors are shown at the fields among `children` at any depth; a component among them passes its own fields their
    `error`. Other errors, including that of a failed action, are shown above the button.

    The browser keeps unsaved text of a form with text fields until the handler has succeeded, and offers to restore it. The path,
    `open` in the address, `label`, or, if none of these does, `name` must therefore identify what the form edits.

    `based_on` is the state that the person edits, for example the `changed_at` value of a record, or its revision; "" if there is no record
    yet, which someone else may add meanwhile. It is sent as the field `based_on`. The browser keeps it together with unsaved changes, so that `model` receives the state that the changes began with,
    even after a restart of the server, a reload, or the restoration of unsaved text.
    """
    connection = use_connection()
    draft = _draft_of(connection.location, name or label or submit, children)
    errors, set_errors = use_state(cast(dict[str, str], {}))
    round_, set_round = use_state(0)
    # Converted to a handler now, so that an unclear function is refused before a form is submitted.
    submitting = on_submit if on_submit is None or isinstance(on_submit, Handler) else handler(on_submit)
    latest = use_ref(submitting)
    latest.current = submitting

    async def sent(payload: Payload) -> None:
        fields: Fields = payload.get("fields", {})
        read: object = fields
        if model is not None:
            try:
                read = model.model_validate(_content_of(model, fields))
            except ValidationError as refused:
                checkboxes = {field.name for field in _fields_in(children) if field.kind == "checkbox"}
                set_errors(field_errors(refused, checkboxes=checkboxes, model=model))
                return
        set_errors({})
        target = latest.current
        if target is None:
            return
        if target.is_exclusive:
            await cast(_Action, target).run(read, on_success=finish)
        else:
            await handler(target, read=lambda _payload: read).function([payload])
            finish()

    def finish() -> None:
        if draft is not None:
            connection.forget_draft(draft)
        if reset_on_success:
            set_round(lambda n: n + 1)

    is_exclusive = submitting is not None and submitting.is_exclusive
    is_busy = is_exclusive and cast(_Action, submitting).is_running
    failure = cast(_Action, submitting).error if is_exclusive else None
    return html.form(
        attributes(
            className="fw-form",
            noValidate=True,
            autoComplete="off",
            aria_label=label,
            data_draft=draft,
            onSubmit=Handler(
                sent,
                prevent_default=True,
                is_exclusive=is_exclusive,
                operation=submitting.operation if submitting else None,
            ),
            key=f"form:{draft}:{round_}",  # typed text must not carry over to the form of another item
        ),
        *_with_errors(children, errors),
        *_form_errors(children, errors),
        html.input({"name": "based_on", "hidden": True, "readOnly": True, "value": _as_text(based_on), "key": "based_on"})
        if based_on is not None
        else None,
        _complaint(failure, key="failure") if failure else None,
        html.div(
            {"className": "fw-form-actions", "key": "actions"},
            *actions,
            button(submit, type="submit", variant="outlined" if is_secondary else "contained", danger=danger, is_busy=is_busy)
            if submit
            else None,
        )
        if submit or actions
        else None,
    )


def _as_text(based_on: datetime | int | str) -> str:
    return based_on.isoformat() if isinstance(based_on, datetime) else str(based_on)


def _draft_of(location: Location, name: str | None, children: Iterable[Child]) -> str | None:
    """The name of a form's draft in the browser; None for a form without a name or text fields, or with a search field."""
    kinds = [field.kind for field in _fields_in(children)]
    if not name or "search" in kinds or not _WRITTEN.intersection(kinds):
        return None
    opened = location.query.get("open")
    return f"{location.path}{f'?open={opened}' if opened else ''}#{name}"


def _fields_in(children: Iterable[Child]) -> Iterator[_Field]:
    for child in children:
        if isinstance(child, _Field):
            yield child
        elif isinstance(child, dict):
            yield from _fields_in(cast(dict[str, Any], child).get("children", ()))


def field_errors(
    refused: ValidationError, *, checkboxes: Set[str] = frozenset(), model: type[BaseModel] | None = None
) -> dict[str, str]:
    """Return one message for each field with an error in `refused`, and one named "" for errors of the whole form.

    `checkboxes` names the checkbox fields: a form omits them if they are not checked. The message of a pattern error is the
    description of the field in `model`.
    """
    described = {field.alias or name: field.description for name, field in model.model_fields.items()} if model else {}
    sentences: dict[str, str] = {}
    for error in refused.errors():
        name = str(error["loc"][0]) if error["loc"] else ""
        description = described.get(name)
        if name in checkboxes and error["type"] == "missing":
            sentence = t("Check this box.")
        elif description and error["type"] == "string_pattern_mismatch":
            sentence = t(description)
        else:
            sentence = _sentence(error)
        sentences.setdefault(name, sentence)
    return sentences


class _Field(VdomDict):
    """The element of a field, and its look with an error from its form. As a component, it would cost each open page 2 kB."""

    def __init__(self, name: str, kind: str, element: Callable[[str | None], VdomDict]) -> None:
        super().__init__(**cast(Any, element(None)))
        self.name = name
        self.kind = kind
        self.element = element


def _with_errors(children: Iterable[Child], errors: Mapping[str, str]) -> list[Child]:
    """Return `children` with `errors`, by field name, at their fields."""
    return [_with_error(child, errors) for child in children] if errors else list(children)


def _complaint(sentence: str, *, key: str) -> VdomDict:
    """An error of the whole form. The browser focuses the first one unless a field is invalid."""
    attributes = {"className": "fw-field-error", "role": "alert", "tabIndex": -1, "data-complaint": True, "key": key}
    return html.p(attributes, sentence)


def _form_errors(children: Iterable[Child], errors: Mapping[str, str]) -> list[VdomDict]:
    """Return the `errors` of no field among `children`."""
    placed = {field.name for field in _fields_in(children)} if errors else set[str]()
    return [
        _complaint(f"{name}: {sentence}" if name else sentence, key=f"complaint:{name}")
        for name, sentence in errors.items()
        if name not in placed
    ]


def _with_error(child: Child, errors: Mapping[str, str]) -> Child:
    if not isinstance(child, dict):
        return child
    if isinstance(child, _Field):
        return child.element(errors[child.name]) if child.name in errors else child
    parts = cast(dict[str, Any], child)
    changed: Any = {**parts, "children": _with_errors(parts.get("children", ()), errors)}
    return VdomDict(**changed)


def _element(
    tag: str,
    name: str,
    label: str,
    given: dict[str, Any],
    events: dict[str, Handler],
    children: tuple[VdomDict, ...],
    help: str | None,
    error: str | None,
    end: Child,
    small: bool,
    id: str | None,
    key: str | None,
    form_error: str | None,
) -> VdomDict:
    complaint = error or form_error
    own_id = id or f"field-{name}"
    notes = [f"{own_id}-error" if complaint else None, f"{own_id}-help" if help else None]
    control = _CONTROLS[tag](
        {
            **attributes(
                id=own_id,
                name=name,
                className=classes("fw-input", "fw-input-small" if small else None),
                aria_invalid=True if complaint else None,
                aria_describedby=" ".join(note for note in notes if note) or None,
            ),
            **given,
            **events,
        },
        *children,
    )
    return html.div(
        {"className": "fw-field", "key": key or f"field:{name}"},
        html.label(
            {"className": classes("fw-label", "fw-label-required" if given.get("required") else None), "htmlFor": own_id}, label
        ),
        html.div({"className": "fw-input-group"}, control, end) if end is not None else control,
        _error_text(own_id, complaint),
        html.p({"className": "fw-hint", "id": f"{own_id}-help"}, help) if help else None,
    )


def _checkbox_element(
    name: str, label: str, given: dict[str, Any], error: str | None, id: str | None, key: str | None, form_error: str | None
) -> VdomDict:
    complaint = error or form_error
    own_id = id or f"field-{name}"
    invalid = attributes(aria_invalid=True if complaint else None, aria_describedby=f"{own_id}-error" if complaint else None)
    return html.div(
        {"className": "fw-field", "key": key or f"field:{name}"},
        html.label({"className": "fw-checkbox"}, html.input({"id": own_id, "name": name, **given, **invalid}), html.span(label)),
        _error_text(own_id, complaint),
    )


def _error_text(field_id: str, sentence: str | None) -> VdomDict | None:
    if not sentence:
        return None
    return html.p({"className": "fw-field-error", "id": f"{field_id}-error", "role": "alert"}, sentence)


def _events(on_change: OnEvent, on_blur: OnEvent) -> dict[str, Handler]:
    events: dict[str, Handler] = {}
    if on_change is not None:
        events["onChange"] = handler(on_change, read=read_value)
    if on_blur is not None:
        events["onBlur"] = handler(on_blur, read=read_value)
    return events


def _content_of(model: type[BaseModel], fields: Fields) -> Fields:
    """The content of the fields that `model` has. An empty field is None if the model accepts None, and is omitted if the
    model has a default and empty text is not a valid value."""
    content: Fields = {}
    for name, field in model.model_fields.items():
        sent = next((each for each in (field.alias, name) if each is not None and each in fields), None)
        if sent is None:
            continue
        value: object = fields[sent]
        if value == "" and not field.is_required():
            if _takes_none(field.annotation):
                value = None
            elif field.get_default(call_default_factory=True) == "" or field.annotation is not str:
                continue
        content[sent] = value
    return content


def _takes_none(annotation: Any) -> bool:
    return annotation is None or type(None) in get_args(annotation)


def _sentence(error: ErrorDetails) -> str:
    context = error.get("ctx", {})
    match error["type"]:
        case "missing":
            return t("Fill in this field.")
        case "string_too_short":
            return (
                t("Fill in this field.")
                if context["min_length"] == 1
                else t("Use at least {n} characters.", n=context["min_length"])
            )
        case "string_too_long":
            return t("Use at most {n} characters.", n=context["max_length"])
        case "int_parsing" | "float_parsing" | "decimal_parsing":
            return t("Enter a number.")
        case "greater_than_equal":
            return t("Enter at least {n}.", n=context["ge"])
        case "less_than_equal":
            return t("Enter at most {n}.", n=context["le"])
        case "date_parsing" | "date_from_datetime_parsing":
            return t("Enter a date.")
        case "datetime_from_date_parsing" | "datetime_parsing" | "timezone_aware":
            return t("Choose a date and a time.")
        case "string_pattern_mismatch":
            return t("This is not in the expected format.")
        case "url_parsing" | "url_scheme" | "url_syntax_violation" | "url_type":
            return t("Enter a web address, such as https://example.org.")
        case "literal_error" | "enum":
            return t("Choose one of the options.")
        case "value_error" if "error" in context:
            return str(context["error"])
        case _:
            return f"{error['msg'].rstrip('.')}."
