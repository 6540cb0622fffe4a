from alembic import context

from fundwright.core.database import Base

attributes = context.config.attributes
# The metadata lends its naming convention to the constraints that migrations leave unnamed.
context.configure(
    connection=attributes["connection"],
    version_table=attributes["version_table"],
    target_metadata=Base.metadata,
    transaction_per_migration=True,
)
with context.begin_transaction():
    context.run_migrations()
