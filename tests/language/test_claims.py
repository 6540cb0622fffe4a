from __future__ import annotations

import pytest

from fundwright.language.extractive.claims import Others

OTHERS = Others(company="Meridian Language Group, Inc.", customers=("Banner Desert Health",))


@pytest.mark.parametrize(
    "sentence",
    [
        "We answered 96,500 video calls.",
        "Meridian supplied 38,400 interpreter days in 61 languages.",
        "The agency network of 42 stations measures nitrate.",
        "The network has 42 stations.",
        "The clinic treats 200 patients a week.",
        "No deadlines were missed.",
        "The system received its authority to operate in May 2023.",
        "Work resumed and was completed in late 2023.",
        "If we lose a call, we return it within a minute.",
        "In four years, no report was sent after the deadline.",
        "We finished two months earlier than planned, without a day behind schedule.",
        "Repair crews arrive later than two in the morning only when roads are closed.",
    ],
)
def test_may_be_claimed(sentence: str) -> None:
    assert OTHERS.may_claim(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The district enrolls 15,000 students.",
        "The agency hears about 300,000 cases a year in 69 courts.",
        "The system has 2,900 beds.",
        "Banner Desert Health runs eleven hospitals.",
        "In 2022 two assignments were missed when a subcontractor changed its schedule without notice.",
        "Delivery of the patch panels was three weeks late because of a recall; we recovered the schedule.",
        "The relocation finished two months later than planned because the county's circuits arrived late.",
        "We completed the second phase three weeks behind schedule.",
        "A shortage of glass delayed the opening by six weeks.",
        "The last shipment left after the deadline.",
        "The report came ten days late.",
        "Der Umzug endete zwei Monate später als geplant.",
        "The contractor shall provide interpreters.",
        "If we had a video studio, we could bid on more work, but we have none.",
    ],
)
def test_says_nothing_good_of_us(sentence: str) -> None:
    assert not OTHERS.may_claim(sentence)


@pytest.mark.parametrize(
    ("sentence", "is_ours"),
    [
        ("WFL administers the roads of 16 national parks.", False),
        ("The WFLHD administers the roads of 16 national parks.", False),
        ("MLG administers tests in 16 languages.", True),
        ("NBIS does not require it; we do.", True),
        ("The Court has shared $3.4 million among 29 projects, and we are glad to have been one.", False),
    ],
)
def test_the_initials_of_a_customer_and_their_beginning_name_it(sentence: str, is_ours: bool) -> None:
    others = Others("Meridian Language Group, Inc.", ("Western Federal Lands Highway Division",))
    assert others.may_claim(sentence) is is_ours


ARTICLE = (
    "Saguaro Relay Services sold 40 units to the Navy for $2.1 million.",
    "The company was founded in 1990.",
    "Saguaro employs 210 people.",
    "“We have never lost a call,” said its president.",
)


def test_a_text_that_names_others_as_those_who_act_describes_others() -> None:
    assert OTHERS.is_about_others(ARTICLE)
    assert OTHERS.is_about_others(ARTICLE[:1])
    assert not OTHERS.is_about_others((*ARTICLE, "We bid on the same contract."))
    assert not OTHERS.is_about_others((*ARTICLE, "Meridian won the next one."))
    assert not OTHERS.is_about_others(
        ("Interpreters answered 96,500 calls.", "The Army rated the work exceptional.", "No call was lost.")
    )


def test_a_customer_is_recognized_by_the_last_word_of_its_name() -> None:
    others = Others("Meridian Language Group, Inc.", ("U.S. Forest Service, National Interagency Support Cache",))
    assert not others.may_claim("The cache outfits 12,000 firefighters at the height of a season.")
    assert others.may_claim("The cache memory of our servers was doubled.")
