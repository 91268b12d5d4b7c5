"""Where a fleet stands: verdicts over all, what stands in the way, what one fix would unblock, what changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rewarp.errors import UsageError, did_you_mean
from rewarp.fleet.request import Status
from rewarp.verdict import Conclusion

Row = Mapping[str, Any]

_RULES = """
SELECT rule, any_value(title) AS title, count(DISTINCT repository) AS repositories, count(*) AS places,
       list_sort(list(DISTINCT severity)) AS severities
FROM findings JOIN repositories USING (run, repository) WHERE run = ? AND findings.in_the_way AND conclusion <> ?
GROUP BY rule ORDER BY repositories DESC, places DESC, rule"""
_UNBLOCKED = """
WITH alone AS (
  SELECT repository, min(rule) AS rule, any_value(title) AS title, count(*) AS places
  FROM findings WHERE run = ? AND in_the_way
  GROUP BY repository HAVING count(DISTINCT rule) = 1)
SELECT rule, any_value(title) AS title, list_sort(list(repository)) AS repositories, sum(places)::BIGINT AS places
FROM alone JOIN repositories USING (repository) WHERE run = ? AND conclusion <> ?
GROUP BY rule ORDER BY len(list(repository)) DESC, rule"""
_CHANGES = """
WITH before AS (SELECT * FROM repositories WHERE run = $before), after AS (SELECT * FROM repositories WHERE run = $after),
counted AS (
  SELECT repository, fingerprint, count(*) FILTER (run = $after) AS now, count(*) FILTER (run = $before) AS earlier
  FROM findings WHERE run IN ($before, $after) AND in_the_way GROUP BY ALL),
moved AS (
  SELECT repository, sum(greatest(now - earlier, 0))::BIGINT AS new, sum(greatest(earlier - now, 0))::BIGINT AS gone
  FROM counted GROUP BY repository)
SELECT coalesce(after.repository, before.repository) AS repository,
       coalesce(before.conclusion, before.status) AS before, coalesce(after.conclusion, after.status) AS after,
       before.left_lines AS lines_before, after.left_lines AS lines_after,
       CASE WHEN before.status = 'done' AND after.status = 'done' THEN coalesce(new, 0) END AS new,
       CASE WHEN before.status = 'done' AND after.status = 'done' THEN coalesce(gone, 0) END AS gone
FROM before FULL JOIN after ON before.repository = after.repository
LEFT JOIN moved ON moved.repository = coalesce(after.repository, before.repository)
WHERE coalesce(before.conclusion, before.status) IS DISTINCT FROM coalesce(after.conclusion, after.status)
   OR before.left_lines IS DISTINCT FROM after.left_lines OR coalesce(new, 0) > 0 OR coalesce(gone, 0) > 0
ORDER BY repository"""


@dataclass(frozen=True)
class Overview:
    """One run, and what is different from the one before it."""

    run: Row
    previous: str | None
    """The run before it with the same target; None where there is none."""
    repositories: Sequence[Row]
    """The most work first; those that could not be looked at last."""
    rules: Sequence[Row]
    """What stands in the way, in most repositories first; those that support the target already have got past it."""
    unblocked: Sequence[Row]
    """Rules that are all that stands in the way of some repositories."""
    changes: Sequence[Row]

    @property
    def verdicts(self) -> dict[str, int]:
        """How many repositories have each verdict, the best first."""
        found = [row["conclusion"] for row in self.repositories if row["status"] == Status.DONE.value]
        return {conclusion.value: found.count(conclusion.value) for conclusion in Conclusion}

    @property
    def not_looked_at(self) -> list[Row]:
        return [row for row in self.repositories if row["status"] != Status.DONE.value]


def overview(connection: Any, name: str | None = None) -> Overview:
    """The run of that name, or the last one."""
    runs = _rows(connection, "SELECT * FROM runs ORDER BY started")
    if not runs:
        raise UsageError("no run is finished yet")
    known = {run["run"]: run for run in runs}
    if name is not None and name not in known:
        raise UsageError(f"there is no finished run {name}{did_you_mean(name, known)}")
    run = known[name or runs[-1]["run"]]
    earlier = [one for one in runs if one["started"] < run["started"] and one["target"] == run["target"]]
    previous = earlier[-1]["run"] if earlier else None
    return Overview(
        run,
        previous,
        _rows(
            connection,
            "SELECT * FROM repositories WHERE run = ? ORDER BY status <> 'done', left_lines DESC, repository",
            [run["run"]],
        ),
        _rows(connection, _RULES, [run["run"], Conclusion.SUPPORTS.value]),
        _rows(connection, _UNBLOCKED, [run["run"], run["run"], Conclusion.SUPPORTS.value]),
        _rows(connection, _CHANGES, {"before": previous, "after": run["run"]}) if previous else [],
    )


def _rows(connection: Any, sql: str, parameters: Any = None) -> list[dict[str, Any]]:
    result = connection.execute(sql, parameters) if parameters is not None else connection.execute(sql)
    names = [column[0] for column in result.description]
    return [dict(zip(names, row)) for row in result.fetchall()]
