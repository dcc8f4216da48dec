"""Every migration states its impact, and a new one holds up no writes without a reason."""

import json
import pathlib
import subprocess

import pytest
from waiting import patiently

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
SERVICES = ("auth-service", "workspace-service", "chat-service", "realtime-gateway", "payment-service")
FIRST = "before the first release"
# The migrations that do more than add, with their impact and the reason why they may.
HEAVY = {
    "auth-service": {
        6: ("rewrites", FIRST), 7: ("rewrites", FIRST), 8: ("locks", FIRST), 9: ("locks", FIRST), 10: ("locks", FIRST),
        11: ("locks", FIRST), 120: ("locks", "a partial index of accounts without entries: one scan of the table"),
    },
    "workspace-service": {
        6: ("rewrites", FIRST), 7: ("rewrites", FIRST), 8: ("locks", FIRST), 9: ("locks", FIRST), 21: ("locks", FIRST),
        40: ("locks", FIRST), 54: ("locks", "an index of the invitations by mail: they are few, and so are writes of them"),
    },
    "chat-service": {
        3: ("locks", FIRST), 5: ("locks", FIRST), 6: ("locks", FIRST), 7: ("locks", FIRST), 8: ("rewrites", FIRST),
        9: ("locks", FIRST), 51: ("locks", FIRST), 62: ("locks", FIRST),
        167: ("locks", "an index of three numbers of each room: rooms are few beside messages"),
        174: ("locks", "an index of the table of 172, which came with the same release and has few rows"),
    },
    "realtime-gateway": {},
    "payment-service": {
        6: ("rewrites", FIRST), 7: ("rewrites", FIRST), 8: ("locks", FIRST), 9: ("locks", FIRST),
        11: ("locks", "the payments of abandoned attempts, which are few, and only their rows"),
    },
}  # fmt: skip


@pytest.mark.parametrize("service", SERVICES)
def test_every_migration_states_its_impact_and_a_new_one_is_online_or_has_a_reason(service):
    command = [CHECKOUT / ".build/debug" / service, "--print-migrations"]
    plan = json.loads(subprocess.run(command, capture_output=True, text=True, check=True, timeout=patiently(30)).stdout)
    files = {int(each.name[:4]): each for each in (CHECKOUT / "Services" / service / "Migrations").glob("*.sql")}
    shared = {each["number"] for each in plan} - files.keys()
    # The migrations of the outbox are the same in all services.
    assert files.keys() <= {each["number"] for each in plan} and all(number < 10 for number in shared)
    assert {each["impact"] for each in plan} <= {"online", "locks", "rewrites"}
    heavy = {each["number"]: each["impact"] for each in plan if each["impact"] != "online"}
    assert heavy == {number: impact for number, (impact, _) in HEAVY[service].items()}
    assert all(reason for _, reason in HEAVY[service].values())
