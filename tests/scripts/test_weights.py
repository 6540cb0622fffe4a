"""The converted model, compared with a full-precision forward pass in numpy and with published similarities."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from fundwright.core.assembly import Core
from fundwright.language import service
from scripts.weights import WrongWeights, build, is_built

MODELS = Path(__file__).parent.parent.parent / "var" / "models"
TEXTS = ["That is a happy person", "That is a happy dog", "Today is a sunny day"]
MORE_TEXTS = [
    "Provide software maintenance for a PostgreSQL database of the Air Force.",
    "The Contractor shall deliver a monthly status report no later than the tenth calendar day of each month.",
    "We study how harmful algal blooms in small lakes can be forecast a week ahead from temperature and nutrients.",
]
FULL_PRECISION = Path(__file__).with_name("full_precision.npy")
"""Vectors of both lists by `full_precision` from the published weights, as float16."""


@pytest.fixture(scope="module")
def folder() -> Path:
    if not is_built(MODELS):
        pytest.skip("the model is not installed; run `make setup`")
    return MODELS / "all-MiniLM-L6-v2"


class TestModel:
    async def test_similarities_are_the_published_ones(self, core: Core, folder: Path) -> None:
        embedder = await service.get_embedder(core)
        vectors = await embedder.embed(TEXTS)
        assert vectors.shape == (3, 384)
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
        similar = vectors @ vectors[0]
        # https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2 prints .694 and .257 for these two.
        assert similar[1] == pytest.approx(0.694, abs=0.02)
        assert similar[2] == pytest.approx(0.257, abs=0.02)

    async def test_a_vector_does_not_depend_on_its_neighbors(self, core: Core, folder: Path) -> None:
        embedder = await service.get_embedder(core)
        together = await embedder.embed(["a short one", "a very much longer text " * 40])
        alone = await embedder.embed(["a short one"])
        np.testing.assert_array_equal(together[0], alone[0])

    async def test_texts_are_read_to_256_tokens(self, core: Core, folder: Path) -> None:
        embedder = await service.get_embedder(core)
        base = "water quality " * 70  # 140 tokens
        vectors = await embedder.embed([base, base + "sourdough bread recipe " * 20, base * 2 + "x", base * 2 + "sourdough"])
        assert vectors[0] @ vectors[1] < 0.97  # a limit of 128 tokens would cut off the difference
        np.testing.assert_allclose(vectors[2], vectors[3], atol=1e-6)  # the difference is beyond 256

    async def test_nothing_is_read_beyond_20_000_characters(self, core: Core, folder: Path) -> None:
        embedder = await service.get_embedder(core)
        vectors = await embedder.embed(["x" * 20_000 + end for end in ("", " sourdough bread")])
        np.testing.assert_array_equal(vectors[0], vectors[1])

    async def test_quantised_vectors_are_those_of_full_precision(self, core: Core, folder: Path) -> None:
        embedder = await service.get_embedder(core)
        vectors = await embedder.embed(TEXTS + MORE_TEXTS)
        cosines = (vectors * np.load(FULL_PRECISION).astype(np.float32)).sum(axis=1)
        assert cosines.min() >= 0.99, cosines

    async def test_the_full_precision_vectors_are_made_from_the_published_weights(self, folder: Path) -> None:
        weights = next((MODELS.parent / "weights").rglob("model.safetensors"), None)
        if weights is None:
            pytest.skip("the source weights are not kept; put them below var/weights to compare")
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.no_padding()
        vectors = np.stack([full_precision(weights, tokenizer.encode(text).ids) for text in TEXTS + MORE_TEXTS])
        np.testing.assert_allclose(vectors, np.load(FULL_PRECISION).astype(np.float32), atol=1e-3)


class TestBuild:
    def test_other_weights_are_refused(self, tmp_path: Path) -> None:
        (tmp_path / "model.safetensors").write_bytes(b"something else")
        with pytest.raises(WrongWeights, match="differs"):
            build(tmp_path, tmp_path / "models")
        assert not is_built(tmp_path / "models")


def full_precision(weights: Path, ids: list[int]) -> np.ndarray:
    """Textbook BERT in float32."""
    safetensors = pytest.importorskip("safetensors.numpy")
    w = safetensors.load_file(weights)

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-12)
        return x * w[f"{name}.weight"] + w[f"{name}.bias"]

    def dense(x: np.ndarray, name: str) -> np.ndarray:
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    gelu = np.vectorize(lambda x: x * 0.5 * (1 + math.erf(x / math.sqrt(2))))
    n = len(ids)
    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][:n]
    x = norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for layer in range(6):
        name = f"encoder.layer.{layer}"
        q, k, v = (
            dense(x, f"{name}.attention.self.{part}").reshape(n, 12, 32).transpose(1, 0, 2) for part in ("query", "key", "value")
        )
        scores = np.exp(q @ k.transpose(0, 2, 1) / math.sqrt(32))
        context = (scores / scores.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(n, 384)
        x = norm(x + dense(context, f"{name}.attention.output.dense"), f"{name}.attention.output.LayerNorm")
        x = norm(x + dense(gelu(dense(x, f"{name}.intermediate.dense")), f"{name}.output.dense"), f"{name}.output.LayerNorm")
    mean = x.mean(0)
    return mean / np.linalg.norm(mean)
