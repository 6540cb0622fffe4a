from alembic import context

from fundwright.core.database import Base

attributes = context.config.attributes
# The metadata provides the naming convention for constraints without a name in migrations.
context.configure(
    connection=attributes["connection"],
    version_table=attributes["version_table"],
    target_metadata=Base.metadata,
    transaction_per_migration=True,
)
with context.begin_transaction():
    context.run_migrations()
