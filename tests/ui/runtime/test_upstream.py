"""ReactPy is still the version that the replacements in `runtime/layout.py` were written for."""

from __future__ import annotations

import hashlib
import inspect
from importlib.metadata import version
from operator import attrgetter
from typing import Any

import pytest
from reactpy.core import _life_cycle_hook, layout

from fundwright_ui.runtime.layout import RELIED_ON, REPLACED, GuardedLayout

REVIEWED_VERSION = "2.0.0b13"
REVIEWED = {
    "Layout.__aenter__": "a0cd5ae54640a085",
    "Layout.__aexit__": "d9df597f3b684aab",
    "Layout.__init__": "9ae24f4ff1c3c744",
    "Layout._create_layout_update": "f0ff6557aaf083b8",
    "Layout._inject_event_ack_seq": "a53f50f4cef14b39",
    "Layout._render_component": "09b7d1195f0ca69d",
    "Layout._render_model": "06f109a29773c1dc",
    "Layout._render_model_attributes": "0d1ef32cb9b374d3",
    "Layout._render_model_children": "19764a43a0c985f1",
    "Layout._render_model_event_handlers_without_old_state": "58e3c9c88b6bcf1b",
    "Layout._schedule_render_task": "7217f9df11c4fbb2",
    "Layout._serialize_event_handler": "159f7d7f90e35faf",
    "Layout._unmount_model_states": "acd33e7154bbf4d7",
    "Layout.deliver": "7cd0434b3edc37ce",
    "Layout.render": "2780e6137f58cb65",
    "LifeCycleHook.__init__": "0a6e53d21e15a5d5",
    "LifeCycleHook.add_effect": "3ddc2f36944ccd51",
    "LifeCycleHook.affect_component_did_render": "bf381446fd69e256",
    "LifeCycleHook.affect_component_will_render": "4071bcbec185ae89",
    "LifeCycleHook.affect_component_will_unmount": "079da0c91cdd00cf",
    "LifeCycleHook.affect_layout_did_render": "d42c9021b202ad01",
    "LifeCycleHook.schedule_render": "6e1924068323f3b6",
    "LifeCycleHook.set_context_provider": "389dd8c20624a9cc",
    "LifeCycleHook.set_current": "dbea6231558d8113",
    "LifeCycleHook.use_state": "5dbe9fb4a315a4a6",
    "_HookStack.current_hook": "cea18f2bea0db15c",
    "_LifeCycleState": "89c7da80b71fc90c",
    "_ModelState": "4a605f797d9161b8",
    "_copy_component_model_state": "5bbffa6a7b37d8e7",
    "_get_children_info": "c4e707766504770c",
    "_make_component_model_state": "247ada199de2ac0c",
    "_make_element_model_state": "76cb173f489d11c4",
    "_update_component_model_state": "cec69377c5f4903d",
    "_update_element_model_state": "d341941e110c6c08",
    "_update_life_cycle_state": "e02cf887479646fe",
}
"""Digests of the ReactPy source that our replacements were compared with."""

INSTRUCTIONS = (
    "ReactPy has changed {name}. Compare it with what runtime/layout.py does instead, run tests/ui/runtime and the memory tests of "
    "`make soak`, and then note what you have reviewed here: {found}."
)


def digest_of(name: str) -> str:
    upstream = next(module for module in (layout, _life_cycle_hook) if hasattr(module, name.partition(".")[0]))
    source = inspect.getsource(attrgetter(name)(upstream))
    return hashlib.sha256(source.encode()).hexdigest()[:16]


def test_the_version_is_the_one_that_was_reviewed() -> None:
    found = version("reactpy")
    assert found == REVIEWED_VERSION, INSTRUCTIONS.format(name="its version", found=repr(found))


def test_everything_that_is_replaced_or_relied_on_was_reviewed() -> None:
    assert sorted(REVIEWED) == sorted((*REPLACED, *RELIED_ON))


@pytest.mark.parametrize("name", sorted(REVIEWED))
def test_the_source_is_the_one_that_was_reviewed(name: str) -> None:
    found = digest_of(name)
    assert found == REVIEWED[name], INSTRUCTIONS.format(name=name, found=repr(found))


def test_every_replacement_says_why() -> None:
    own: dict[str, Any] = vars(GuardedLayout)
    names = {name for name, value in own.items() if getattr(value, "__module__", "") == GuardedLayout.__module__}
    replaced = {f"Layout.{name}" for name in names & vars(layout.Layout).keys() - {"__init__"}}
    assert replaced == {name for name in REPLACED if name.startswith("Layout.")} - {"Layout.deliver"}
