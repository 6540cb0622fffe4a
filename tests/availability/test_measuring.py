from __future__ import annotations

from collections import Counter

import pytest

from tests.availability import measuring, table
from tests.availability.hostile import EVERYTHING
from tests.availability.measuring import Measured
from tests.availability.victim import Times

pytestmark = pytest.mark.security(53)


def measured(**answers: int) -> Measured:
    return Measured("photos", Times(clicks={"list": [0.1, 0.1]}, jobs={"upload": [0.1]}), Counter(answers))


ALONE = measured()


def has_passed(*without_jobs: str, **answers: int) -> bool:
    return measuring._tell([measured(**answers)], ALONE, without_jobs)


@pytest.mark.parametrize("status", [400, 403, 404, 409, 422, 429])
def test_an_attack_that_is_always_refused_fails(capsys: pytest.CaptureFixture[str], status: int) -> None:
    assert not has_passed(**{f"POST /api/account/photo {status}": 3})
    assert f"TESTED NOTHING, because it was always refused: POST /api/account/photo ({status})" in capsys.readouterr().out


def test_one_answer_is_enough() -> None:
    assert has_passed(**{"POST /api/account/photo 429": 9, "POST /api/account/photo 200": 1})
    assert has_passed(**{"POST /api/account/photo 429": 9, "POST /api/account/photo 503": 1})


def test_what_the_table_allows_may_be_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(table.ALWAYS_REFUSED, "POST /api/account/photo", "each photo is decoded")
    assert has_passed(**{"POST /api/account/photo 422": 3})


def test_an_attack_that_causes_no_job_fails() -> None:
    kinds = table.JOBS_OF_ATTACKS.keys() - {"embed"}
    assert measuring._without_jobs([EVERYTHING], kinds) == ["imports of notices (embed)"]
    assert measuring._without_jobs(["photos"], kinds) == []
    assert measuring._without_jobs(["imports of notices"], kinds | {"embed"}) == []
    assert not has_passed("imports of notices (embed)", **{"POST /api/account/photo 200": 1})
