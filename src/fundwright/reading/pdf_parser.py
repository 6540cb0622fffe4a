"""The parser of PDF files. It is made when this module is imported, before the sandbox forks: it starts threads and opens event queues,
which a process of the sandbox may not."""

from __future__ import annotations

from liteparse.parser import LiteParse

PARSER = LiteParse(
    ocr_enabled=False, quiet=True, extract_blocks=True, extract_form_fields=True, extract_annotations=True, extract_xfa_packets=True,
    extract_text_metadata=True, extract_vector_graphics=True, keep_headers_footers=True, continue_on_page_error=True, emit_word_boxes=True, max_pages=1_000_000,
)  # fmt: skip
