from __future__ import annotations

import io

import docx
import pytest

from fundwright.accounts.schemas import Actor
from fundwright.core.assembly import Core
from fundwright.reading.lines import Line
from fundwright.reading.markdown import MarkdownReader
from fundwright.reading.word import WordReader
from fundwright.training import runs, service, titles
from fundwright.training.schemas import DocumentTitle
from tests.training.conftest import AddFile


class TestPropose:
    @pytest.mark.parametrize(
        ("blocks", "metadata", "title"),
        [
            (
                [Line("Capability Statement – Tidewater", level=1), Line("We run service desks.")],
                "",
                "Capability Statement – Tidewater",
            ),
            ([Line("March 4, 2026"), Line("Annual report\n2025", level=1)], "", "Annual report 2025"),
            ([Line("CAPABILITY STATEMENT OF THE USGS", level=1)], "", "Capability Statement of the USGS"),
            ([Line("We run service desks.")], "Annual report 2025", "Annual report 2025"),
            ([Line("Introduction", level=1)], "Microsoft Word - final.docx", ""),
            ([Line("1. Executive summary", level=1)], "Document1", ""),
            ([Line("We " * 20), Line("What we do best", level=2)], "", ""),
            ([Line("FA8750-26-R-0001 / 2026-03", level=1)], "", ""),
            ([Line("Results:", level=1)], "", ""),
            ([Line("Core competencies", level=1)], "", ""),
            ([Line("SOLICITATION NO. 140P2024", level=1)], "", ""),
            ([], "", ""),
        ],
    )
    def test_a_good_heading_at_the_beginning_or_the_metadata(self, blocks: list[Line], metadata: str, title: str) -> None:
        read = [(block.text, block.level is not None) for block in blocks]
        assert titles.propose(read, metadata=metadata) == title


def test_metadata_is_read_from_word_files_and_may_be_missing() -> None:
    document = docx.Document()
    document.core_properties.title = "Annual report 2025"
    document.add_paragraph("We run service desks.")
    document.save(file := io.BytesIO())
    assert WordReader().read(file.getvalue(), "a.docx").title == "Annual report 2025"
    assert MarkdownReader().read(b'---\ntitle: "Annual report"\n---\nWe run service desks.', "a.md").title == "Annual report"
    assert MarkdownReader().read(b"We run service desks.", "a.md").title == ""


class TestDocuments:
    CAP = b"# Capability Statement of Tidewater\n\nWe run service desks for 9,200 users."

    async def trained(self, committed: Core, owner: Actor, add_file: AddFile, content: bytes, name: str) -> str:
        async with committed.database.transaction() as session:
            document = await add_file(session, owner, committed, content, name)
        await runs.run_inline(committed, owner, [document.id])
        async with committed.database.transaction() as session:
            return (await service.get_document(session, owner, document.id)).title

    async def test_a_document_gets_the_title_in_it(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        assert await self.trained(committed, owner, add_file, self.CAP, "cap_v2.md") == "Capability Statement of Tidewater"
        # Another document has the title.
        assert await self.trained(committed, owner, add_file, self.CAP + b" Twice.", "cap_v3.md") == "Cap v3"

    async def test_a_chosen_title_stays(
        self,
        committed: Core,
        owner: Actor,
        add_file: AddFile,
    ) -> None:
        async with committed.database.transaction() as session:
            document = await add_file(session, owner, committed, self.CAP, "cap.md")
            await service.rename_document(session, owner, document.id, DocumentTitle(title="Our capabilities"))
        await runs.run_inline(committed, owner, [document.id])
        await self.rename(committed, owner, "Our capabilities", "cap")
        await runs.run_inline(committed, owner, [document.id])
        async with committed.database.transaction() as session:
            assert (await service.get_document(session, owner, document.id)).title == "cap"

    async def rename(self, committed: Core, owner: Actor, before: str, after: str) -> None:
        async with committed.database.transaction() as session:
            id = await service.look_up(session, owner, before)
            await service.rename_document(session, owner, id, DocumentTitle(title=after))
