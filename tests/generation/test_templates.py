from __future__ import annotations

import pytest

from fundwright.core.assembly import Core
from fundwright.core.errors import Invalid
from fundwright.generation import service


class TestTemplates:
    def test_ours_are_registered_through_the_hook(self, core: Core) -> None:
        names = [template.name for template in service.list_templates(core)]
        assert names[:3] == ["capability-statement", "project-summary", "cover-letter"]

    def test_headings_of_a_template_differ(self, core: Core) -> None:
        for template in service.list_templates(core):
            headings = [section.heading for section in template.sections]
            assert len(set(headings)) == len(headings)

    def test_an_unknown_name_is_refused_and_the_known_ones_are_listed(self, core: Core) -> None:
        with pytest.raises(Invalid, match="no template named “poem”. Choose one of these: capability-statement, "):
            service.get_template(core, "poem")
