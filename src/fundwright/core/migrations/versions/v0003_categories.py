"""Tables of categories."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "category",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("description", sa.String(), nullable=False),
        sa.Column("colour", sa.String(), nullable=False),
        sa.Column("is_sample", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("prototype", sa.LargeBinary()),
        sa.Column("prototype_key", sa.String()),
        sa.PrimaryKeyConstraint("id", name="pk_category"),
        sa.ForeignKeyConstraint(["owner_id"], ["account.id"], name="fk_category_owner_id_account", ondelete="CASCADE"),
        sa.UniqueConstraint("owner_id", "name", name="uq_category_owner_id_name"),
    )
    op.create_table(
        "label",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("subject_id", sa.Uuid(), nullable=False),
        sa.Column("category_id", sa.Uuid()),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("model_id", sa.String()),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("vector", sa.LargeBinary()),
        sa.Column("vector_model_id", sa.String()),
        sa.PrimaryKeyConstraint("id", name="pk_label"),
        sa.ForeignKeyConstraint(["owner_id"], ["account.id"], name="fk_label_owner_id_account", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["category_id"], ["category.id"], name="fk_label_category_id_category", ondelete="CASCADE"),
        sa.UniqueConstraint("owner_id", "subject_id", name="uq_label_owner_id_subject_id"),
    )
    op.create_index("ix_label_subject_id", "label", ["subject_id"])
    op.create_index("ix_label_category_id", "label", ["category_id"])
