"""Rename the count `labelled` in the results and checkpoints of categorizing jobs."""

from alembic import op

revision = "0046"
down_revision = "0045"


def upgrade() -> None:
    op.execute(
        "UPDATE job SET result = result - 'labelled' || jsonb_build_object('labeled', result -> 'labelled')"
        " WHERE result ? 'labelled'"
    )
    op.execute(
        "UPDATE job SET checkpoint = jsonb_set("
        "checkpoint #- '{counts,labelled}', '{counts,labeled}', checkpoint #> '{counts,labelled}')"
        " WHERE checkpoint #> '{counts,labelled}' IS NOT NULL"
    )
