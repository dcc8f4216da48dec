"""The same seed gives the same schedule, and a long schedule has every fault."""

import functools

from schedule import Fault, full_deck, lab_schedule, schedule, seconds_without
from waiting import stalled


def test_the_same_seed_gives_the_same_schedule_and_another_seed_another():
    assert schedule(1, 60) == schedule(1, 60) != schedule(2, 60)


def test_every_fault_occurs_before_any_repeats():
    kinds = [(each.kind, each.victim) for each in schedule(3, 1000)]
    size = len(full_deck())
    assert sorted(kinds[:size]) == sorted(full_deck())
    assert len(kinds) > size


def test_all_faults_end_in_time():
    faults = schedule(4, 60)
    assert faults and all(each.at + each.lasts <= 60 for each in faults)
    assert [each.at for each in faults] == sorted(each.at for each in faults)


def test_an_outage_of_redis_is_alone():
    faults = schedule(5, 1000)
    for before, after in zip(faults, faults[1:]):
        if before.is_alone:
            assert after.at >= before.at + before.lasts
    assert any(each.is_alone for each in faults)


def test_a_fault_describes_itself():
    assert str(Fault(1, "stop", "redis", 2.5)) == "stop redis for 2.5 s"
    assert str(Fault(1, "kill", "nginx")) == "kill nginx"


def test_a_primary_is_lost_in_each_way_and_its_node_has_time_to_return():
    faults = lab_schedule(120)
    assert [each.kind for each in faults] == ["switch over", "kill", "freeze"]
    for before, after in zip(faults, faults[1:]):
        assert after.at >= before.at + before.lasts


def test_a_redis_cluster_changes_in_each_way():
    faults = lab_schedule(60, "redis")
    assert [(each.kind, each.victim) for each in faults][:3] == [("move slots", "master"), ("kill", "master"), ("empty", "master")]
    for before, after in zip(faults, faults[1:]):
        assert after.at >= before.at + before.lasts


def test_the_time_without_writes_spans_the_fault_and_lasts_to_the_end_if_none_returned():
    assert seconds_without([1, 2, 3, 9, 10], 3.5, 11) == 6
    assert seconds_without([1, 2, 3], 3.5, 20) == 17
    assert seconds_without([1, 2, 9, 10, 11], 9.5, 11) == 1
    assert seconds_without([], 5, 8) == 3


def test_the_time_in_which_the_machine_stood_still_does_not_count():
    assert seconds_without([1, 2, 3, 9, 10], 3.5, 11, functools.partial(stalled, found=[(3.5, 8.5)])) == 1
