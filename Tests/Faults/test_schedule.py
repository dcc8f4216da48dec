"""The same seed gives the same schedule, and a long schedule has every fault."""

from schedule import Fault, full_deck, schedule


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
