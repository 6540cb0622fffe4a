"""Which entry of procrastinate's queue a worker takes next: accounts share the slots, and each worker takes only jobs that it knows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import psycopg
from procrastinate.connector import BaseConnector
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager
from procrastinate.psycopg_connector import PsycopgConnector
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

BACKGROUND_PRIORITY = -1_000
"""Below that of any job of an account with fewer jobs underway."""

_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('job entries of ' || queue, 0)) FROM unnest(%(queues)s::text[]) AS queue"
"""Two workers at the same moment would both count what runs before either has taken something. A worker takes from one queue, so this
locks one."""

_TAKE = """
WITH entry AS (
  SELECT taken.id, taken.status, taken.priority, job.kind, job.version,
         job.state IN ('queued', 'running') AS is_underway, coalesce(job.account_id, '00000000-0000-0000-0000-000000000000') AS account
  FROM procrastinate_jobs taken LEFT JOIN job ON job.id = (taken.args->>'job_id')::uuid
  WHERE taken.queue_name = ANY(%(queues)s) AND (
    taken.status = 'doing' OR taken.status = 'todo' AND (taken.scheduled_at IS NULL OR taken.scheduled_at <= now())
  )
), held AS (
  SELECT account, count(*) AS slots FROM entry WHERE status = 'doing' AND is_underway GROUP BY account
)
UPDATE procrastinate_jobs SET status = 'doing', worker_id = %(worker_id)s WHERE id = (
  SELECT entry.id FROM entry LEFT JOIN held USING (account)
  WHERE status = 'todo' AND (
    is_underway IS NOT TRUE
    OR version <= (%(versions)s::jsonb->>kind)::integer AND coalesce(slots, 0) < %(share)s
  )
  ORDER BY priority <= %(background)s, coalesce(slots, 0), priority DESC, id LIMIT 1
) AND status = 'todo' RETURNING *
"""
"""An entry whose job is gone or over can be taken by any worker, and is removed then."""

_END = """
WITH ended AS (DELETE FROM procrastinate_jobs WHERE id = %(id)s RETURNING id, queue_name)
SELECT pg_notify('procrastinate_queue_v1#' || queue_name, json_build_object('type', 'job_inserted', 'job_id', id)::text) FROM ended
"""
"""Workers look again, because another job of the same account may have waited. The entry is absent if the job was given to another
worker."""


class JobEntries(JobManager):
    """Gives a worker the next job of the account that holds the fewest slots, if it holds fewer than its share.

    `known` returns the highest version of each kind of job that this process can run. Jobs of other kinds and of higher versions stay in
    the queue: a newer process has added them, and takes them.
    """

    def __init__(self, connector: BaseConnector, known: Callable[[], Mapping[str, int]]) -> None:
        super().__init__(connector)
        self._known = known
        self.share = 1

    async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> Job | None:
        assert isinstance(self.connector, PsycopgConnector)
        values = {
            "queues": list(queues or ()),
            "worker_id": worker_id,
            "versions": Jsonb(dict(self._known())),
            "share": self.share,
            "background": BACKGROUND_PRIORITY,
        }
        try:
            async with self.connector.pool.connection() as connection, connection.transaction():
                await connection.execute(_LOCK, values)
                async with psycopg.AsyncCursor[dict[str, Any]](connection, row_factory=dict_row) as cursor:
                    await cursor.execute(_TAKE, values)
                    row = await cursor.fetchone()
        except psycopg.Error as error:  # also after a pause in which others have removed this worker
            raise ConnectorException from error
        return None if row is None else Job.from_row(row)

    async def finish_job(self, job: Job, status: Status, delete_job: bool) -> None:
        await self.connector.execute_query_async(query=_END, id=job.id)
