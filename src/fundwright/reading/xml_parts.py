"""The XML parts of Office files."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Any

from fundwright.core.sandbox_progress import report_progress


def parsed(part: bytes) -> Any:
    """The root of a part, without comments. Its entities are not resolved, and nothing is fetched."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, remove_comments=True, remove_pis=True)
    return etree.fromstring(part, parser)


def written(root: Any) -> bytes:
    from lxml import etree

    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)


def rewritten(archive: zipfile.ZipFile, changed: Callable[[str, bytes], bytes]) -> io.BytesIO:
    """The archive again, each file as `changed` returns it for its name and content."""
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w", zipfile.ZIP_STORED) as target:
        for entry in archive.infolist():
            report_progress()
            target.writestr(entry.filename, changed(entry.filename, archive.read(entry)))
    result.seek(0)
    return result
