"""Fits the classifier of headings (`src/fundwright/generation/extractive/headings.npz`) for the default model: `python -m scripts.headings`.

The examples are invented sections, and sections of the organizations in tests/firms, by the facts in them that a draft must have. Add more at the end of
`examples.txt`.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np

from fundwright.generation.extractive.headings import WEIGHTS, digest, examples, fit
from fundwright.language.local import OnnxEmbedder
from fundwright.reading.kinds import DocumentKind

_MODEL = Path(__file__).parents[1] / "var/models/all-MiniLM-L6-v2"


async def main() -> None:
    embedder = OnnxEmbedder(_MODEL, id="minilm-l6-v2-int8")
    weights = {kind: array.astype(np.float16) for kind, array in (await fit(embedder, examples())).items()}
    np.savez_compressed(
        WEIGHTS,
        embedder=embedder.id,
        digest=digest(),
        about_us=weights[DocumentKind.ABOUT_US],
        previous_proposal=weights[DocumentKind.PREVIOUS_PROPOSAL],
    )


if __name__ == "__main__":
    asyncio.run(main())
