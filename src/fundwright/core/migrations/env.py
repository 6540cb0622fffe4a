from alembic import context

from fundwright.core.database import Base

connection = context.config.attributes["connection"]
# The metadata lends its naming convention to the constraints that migrations leave unnamed.
context.configure(connection=connection, target_metadata=Base.metadata, transaction_per_migration=True)
with context.begin_transaction():
    context.run_migrations()
