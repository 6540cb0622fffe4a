"""Forms of the sign-in pages: values, touched fields, and the errors to show.

The browser keeps what is typed: fields carry no value from the server, so a failed attempt, a lost connection, or a restart of
the server leaves them as they are.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import passwords
from fundwright.accounts import service as accounts
from fundwright.accounts.passwords import MIN_LENGTH
from fundwright.core.messages import t
from fundwright_ui.hooks import Action, use_action, use_query
from fundwright_ui.runtime.events import Payload, handler
from fundwright_ui.ui.buttons import button
from fundwright_ui.ui.elements import Child
from fundwright_ui.ui.feedback import alert
from fundwright_ui.ui.forms import Fields
from fundwright_ui.ui.passwords import strength_meter, use_visibility

_T = TypeVar("_T")

Check = Callable[[str], str | None]
"""Return what is wrong with a field's content, or None."""


@dataclass(frozen=True)
class LoginForm:
    """The state of a form. `errors` holds all errors, `shown_errors` those of touched fields."""

    values: Mapping[str, str]
    errors: Mapping[str, str]
    shown_errors: Mapping[str, str]
    change: Callable[[str, str], None]
    touch: Callable[[str], None]
    take: Callable[[Payload], Mapping[str, str] | None]
    """Read a submit event, which counts every field as touched. Return the content, or None if something is wrong with it."""


def use_login_form(checks: Mapping[str, Check]) -> LoginForm:
    values, set_values = use_state(cast("Mapping[str, str]", dict.fromkeys(checks, "")))
    touched, set_touched = use_state(cast("frozenset[str]", frozenset()))

    def errors_of(content: Mapping[str, str]) -> dict[str, str]:
        found = {name: check(content[name]) for name, check in checks.items()}
        return {name: error for name, error in found.items() if error is not None}

    def take(payload: Payload) -> Mapping[str, str] | None:
        fields: Fields = payload.get("fields", {})
        content = {name: str(fields.get(name, "")) for name in checks}
        set_values(content)
        set_touched(frozenset(checks))
        return None if errors_of(content) else content

    errors = errors_of(values)
    return LoginForm(
        values=values,
        errors=errors,
        shown_errors={name: error for name, error in errors.items() if name in touched},
        change=lambda name, value: set_values(lambda before: {**before, name: value}),
        touch=lambda name: set_touched(lambda before: before | {name}),
        take=take,
    )


def use_submit(
    form: LoginForm, send: Callable[[AsyncSession, Mapping[str, str]], Awaitable[_T]], then: Callable[[_T], None]
) -> Action:
    """Return the form's action: `send` gets the valid content, and `then` gets the result of `send`."""

    async def submit(session: AsyncSession, payload: Payload) -> _T | None:
        content = form.take(payload)
        return None if content is None else await send(session, content)

    action = use_action(submit, then=lambda result: None if result is None else then(result))
    action.operation = send
    return action


def check_email(value: str) -> str | None:
    if not value.strip():
        return t("Email is required")
    return None if accounts.is_email(value) else t("Email must be a valid email address")


def check_password(value: str) -> str | None:
    return None if value else t("Password is required")


def check_new_password(value: str) -> str | None:
    if not value:
        return t("Password is required")
    return None if len(value) >= MIN_LENGTH else t("Use at least {count} characters. A sentence works well.", count=MIN_LENGTH)


def check_name(value: str) -> str | None:
    return None if value.strip() else t("Name is required")


def check_terms(value: str) -> str | None:
    return None if value else t("Agree to the terms to continue.")


def no_check(_value: str) -> None:
    """Accept anything, also an empty field."""


def text_input(form: LoginForm, name: str, label: str, *, kind: str = "text", autocomplete: str = "off") -> VdomDict:
    """A labeled field with its error below."""
    return _labeled(form, name, label, _input(form, name, kind=kind, autocomplete=autocomplete))


@component
def password_input(form: LoginForm, name: str, label: str, autocomplete: str = "off") -> VdomDict:
    """A password field whose content can be shown. The content is sent for checking when the field loses the focus, and with
    the form, but not while it is typed."""
    kind, toggle = use_visibility()
    field = _input(form, name, kind=kind, autocomplete=autocomplete, is_password=True)
    return _labeled(form, name, label, html.div({"className": "fw-input-group"}, field, toggle))


@component
def new_password_input(form: LoginForm, name: str, label: str) -> VdomDict:
    """A field for a new password with a strength meter."""
    value = form.values[name]
    strength = use_query(lambda _session: passwords.strength(value), key=[value])
    return html.div(
        {"className": "fw-stack fw-stack-tight"},
        password_input(form, name, label, "new-password"),
        strength_meter(strength.value or 0) if value else None,
    )


def checkbox_input(form: LoginForm, name: str, *label: Child, is_checked: bool = False) -> VdomDict:
    """A checkbox with its error below. `is_checked` is its initial state."""
    error = form.shown_errors.get(name)
    more: dict[str, Any] = {"aria-invalid": "true", "aria-describedby": f"{name}-error"} if error else {}
    if is_checked:
        more["defaultChecked"] = True
    return html.div(
        {"className": "fw-field"},
        html.label({"className": "fw-checkbox"}, html.input({"type": "checkbox", "name": name, "id": name, **more}), *label),
        html.p({"className": "fw-field-error", "id": f"{name}-error"}, error) if error else None,
    )


def login_form(label: str, action: Action, *fields: Child, submit: str, refusal: str | None = None) -> VdomDict:
    """The form with its button, and above it the error: the action's own, or `refusal`."""
    sentence = action.error or refusal
    return html.fragment(
        None if sentence is None else alert(sentence),
        html.form(
            {
                "key": "form",  # an alert may appear before it, and typed text must stay
                "className": "fw-form",
                "aria-label": label,
                "method": "post",  # a browser without scripts must not put the password into the address
                "noValidate": True,
                "autoComplete": "off",
                "data-begins": True,  # its first field gets the focus
                "data-request": True,  # the browser says in an alert above the fields if there is no response
                "onSubmit": handler(action, prevent_default=True),
            },
            *fields,
            button(submit, type="submit", variant="contained", block=True, is_busy=action.is_running),
        ),
    )


def _labeled(form: LoginForm, name: str, label: str, field: VdomDict) -> VdomDict:
    error = form.shown_errors.get(name)
    return html.div(
        {"className": "fw-field"},
        html.label({"className": "fw-label", "htmlFor": name}, label),
        field,
        html.p({"className": "fw-field-error", "id": f"{name}-error"}, error) if error else None,
    )


def _input(form: LoginForm, name: str, *, kind: str, autocomplete: str, is_password: bool = False) -> VdomDict:
    attributes: dict[str, Any] = {
        "id": name,
        "name": name,
        "type": kind,
        "className": "fw-input",
        "autoComplete": autocomplete,
        "autoCapitalize": "none",
        "spellCheck": False,
    }

    def change(payload: Payload) -> None:
        form.change(name, str(payload.get("value", "")))

    def leave(payload: Payload) -> None:
        change(payload)
        form.touch(name)

    attributes["onBlur"] = handler(leave)
    if is_password:
        attributes["data-secret"] = True  # the browser half never stores it, not even while it is shown as text
    else:
        attributes["onChange"] = handler(change)
    if name in form.shown_errors:
        attributes |= {"aria-invalid": "true", "aria-describedby": f"{name}-error"}
    return html.input(attributes)
