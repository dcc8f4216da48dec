"""The same seed tells the same story, and a long one leaves no fault out."""

from story import Fault, full_deck, story


def test_the_same_seed_tells_the_same_story_and_another_another():
    assert story(1, 60) == story(1, 60) != story(2, 60)


def test_every_fault_comes_before_any_comes_again():
    kinds = [(each.kind, each.victim) for each in story(3, 1000)]
    size = len(full_deck())
    assert sorted(kinds[:size]) == sorted(full_deck())
    assert len(kinds) > size


def test_all_is_over_in_time():
    faults = story(4, 60)
    assert faults and all(each.at + each.lasts <= 60 for each in faults)
    assert [each.at for each in faults] == sorted(each.at for each in faults)


def test_an_outage_of_redis_is_alone():
    faults = story(5, 1000)
    for before, after in zip(faults, faults[1:]):
        if before.is_alone:
            assert after.at >= before.at + before.lasts
    assert any(each.is_alone for each in faults)


def test_a_fault_says_what_it_does():
    assert str(Fault(1, "stop", "redis", 2.5)) == "stop redis for 2.5 s"
    assert str(Fault(1, "kill", "nginx")) == "kill nginx"
