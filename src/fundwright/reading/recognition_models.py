"""The models of text recognition. They are loaded when this module is imported, before the sandbox forks, so that its processes share them.

A session with one thread starts none, which a process of the sandbox may not.
"""

from __future__ import annotations

from onnxruntime import InferenceSession, SessionOptions

from fundwright.core.settings import BUILT

FOLDER = BUILT / "var/models/PP-OCRv6"


def _session(name: str) -> InferenceSession:
    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # pictures differ in size, and the arena keeps memory for the largest of each
    return InferenceSession(FOLDER / name, options, providers=["CPUExecutionProvider"])


DETECTOR = _session("detector.onnx")
"""Takes a picture (1, 3, height, width), both multiples of 32, and returns where it has text (1, 1, height, width), from 0 to 1."""
RECOGNIZER = _session("recognizer.onnx")
"""Takes a line of text (1, 3, 48, width) and returns the probability of each character in each step of eight pixels (1, steps, characters)."""
CHARACTERS = ("", *RECOGNIZER.get_modelmeta().custom_metadata_map["character"].split("\n"), " ")
"""The characters of the recognizer. The first one separates equal ones."""
