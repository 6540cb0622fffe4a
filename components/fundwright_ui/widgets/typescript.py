"""Generates `web/src/generated/widgets.ts`, the types of the widgets' props and event payloads.

`python -m fundwright_ui.widgets.typescript` writes the file; `--check` fails if it differs from the declarations. With the name of
a plug-in module, it writes `widgets.d.ts` beside each file that the package's `web_modules()` returns.
"""

from __future__ import annotations

import importlib
import json
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel
from pydantic.alias_generators import to_camel
from typing_extensions import TypeAliasType

from fundwright_ui.widgets import ALL
from fundwright_ui.widgets.base import Widget

TARGET = Path("web/src/generated/widgets.ts")
_HEADER = "// Written by `python -m fundwright_ui.widgets.typescript{module}`. Change the declarations in {where}.\n"
_KIT = """/** The argument of the default export of a package's module. */
export interface Kit {
  readonly React: typeof import("react");
  readonly ReactDOM: typeof import("react-dom");
  /** Fetches MUI. The module's widgets then have its theme, with the colors and the mode of the page. */
  readonly mui: () => Promise<typeof import("@mui/material")>;
  readonly theme: {
    /** A design token as CSS: `theme.css("primary")` is `var(--fw-primary)`. */
    readonly css: (token: string) => string;
    /** A hook: whether the page is light or dark. */
    readonly useMode: () => "light" | "dark";
  };
  /** Translates a sentence, which must be a literal in the call. */
  readonly t: (sentence: string) => string;
  readonly toast: (message: string, variant: "success" | "info" | "warning" | "error") => void;
}
"""
_SIMPLE: Mapping[Any, str] = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    Decimal: "number",
    date: "string",
    datetime: "string",
    UUID: "string",
    None: "null",
    types.NoneType: "null",
    Any: "unknown",
}


def source(widgets: Sequence[type[Widget]] = ALL, *, module: str = "") -> str:
    """The generated file, for our own widgets or those of a plug-in `module`."""
    writer = _Writer()
    for widget in widgets:
        writer.add_widget(widget)
    header = _HEADER.format(
        module=f" {module}" if module else "", where="Python" if module else "components/fundwright_ui/widgets"
    )
    imports = ['import type { ReactNode } from "react";\n'] if any(widget.slots for widget in widgets) else []
    return "\n".join([header, *imports, *writer.interfaces.values(), _KIT])


class _Writer:
    def __init__(self) -> None:
        self.interfaces: dict[str, str] = {}

    def add_widget(self, widget: type[Widget]) -> None:
        members = list(self._members(widget.props_model))
        for name, payload in widget.events.items():
            members.append(f"  readonly {to_camel(name)}?: (payload: {self._model(payload)}, onDone?: () => void) => void;")
        members += [f"  readonly {to_camel(name)}?: ReactNode;" for name in widget.slots]
        comment = " ".join((widget.__doc__ or "").split("\n\n")[0].split())
        self._write(f"{widget.__name__}Props", members, comment)

    def _model(self, model: type[BaseModel]) -> str:
        if not model.model_fields:
            return "Readonly<Record<string, never>>"
        if model.__name__ not in self.interfaces:
            self.interfaces[model.__name__] = ""  # reserves its position before the types that use it
            self._write(model.__name__, list(self._members(model)), "")
        return model.__name__

    def _members(self, model: type[BaseModel]) -> Iterator[str]:
        for name, field in model.model_fields.items():
            yield f"  readonly {field.serialization_alias or to_camel(name)}: {self._type(field.annotation)};"

    def _write(self, name: str, members: list[str], comment: str) -> None:
        lines = [f"/** {comment} */"] if comment else []
        self.interfaces[name] = "\n".join([*lines, f"export interface {name} {{", *members, "}", ""])

    def _type(self, hint: Any) -> str:
        if hint in _SIMPLE:
            return _SIMPLE[hint]
        if isinstance(hint, type) and issubclass(hint, BaseModel):
            return self._model(hint)
        if isinstance(hint, TypeAliasType):
            if hint.__name__ not in self.interfaces:
                self.interfaces[hint.__name__] = f"export type {hint.__name__} = {self._type(hint.__value__)};\n"
            return hint.__name__
        origin, arguments = get_origin(hint), get_args(hint)
        if origin is Annotated:
            return self._type(arguments[0])
        if origin is Literal:
            return " | ".join(json.dumps(value) for value in arguments)
        if origin in (Union, types.UnionType):
            return " | ".join(dict.fromkeys(self._type(each) for each in arguments))
        if isinstance(origin, type) and issubclass(origin, Mapping):
            return f"Readonly<Record<string, {self._type(arguments[1])}>>"
        if isinstance(origin, type) and issubclass(origin, Sequence):
            element = self._type(arguments[0])
            return f"readonly ({element})[]" if "|" in element or element.startswith("readonly ") else f"readonly {element}[]"
        raise TypeError(f"no TypeScript for {hint!r}")


def main(arguments: Sequence[str]) -> int:
    """Return the exit status: 0 if every file is up to date."""
    modules = [argument for argument in arguments if not argument.startswith("-")]
    wanted = {TARGET: source()} if not modules else {path: text for module in modules for path, text in _of_package(module)}
    for path, text in wanted.items():
        if "--check" not in arguments:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            command = " ".join(["python -m fundwright_ui.widgets.typescript", *modules])
            sys.stderr.write(f"{path} differs from the declarations. Run: {command}\n")
            return 1
    return 0


def _of_package(name: str) -> Iterator[tuple[Path, str]]:
    for module in importlib.import_module(name).web_modules():
        yield module.file.with_name("widgets.d.ts"), source(module.widgets, module=name)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
