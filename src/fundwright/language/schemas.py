"""What language answers about the models in use."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class ModelsInUse(BaseModel):
    """The models this installation works with. `embedder_id` and `embedder_dimension` are None until it has been loaded."""

    model_config = ConfigDict(frozen=True)

    embedder_label: str
    embedder_id: str | None
    embedder_dimension: int | None
    writer_label: str
    is_generative: bool
    how_to_connect: str
