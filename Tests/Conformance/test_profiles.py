"""The client profiles of the development keys: the table of the contract."""

import json

import pytest
from conftest import CHECKOUT

DAY, MINUTE = 86_400, 60
# The values of sooda, collatalk, collabee, gathering, gen-2024-01, gen-2024-07 and native.
KEYS = ("sooda", "collatalk", "collabee", "gathering", "gen-2024-01", "gen-2024-07", "native")
TABLE = {
    "generation": ("2024-01", "2024-07", "2024-07", "2024-07", "2024-01", "2024-07", "2024-07"),
    "statuses": ("legacy",) * 6 + ("http",),
    "access_token_lifetime": (30 * DAY, *(30 * MINUTE,) * 3, 30 * DAY, 30 * MINUTE, 15 * MINUTE),
    "refresh_token_lifetime": (90 * DAY, *(30 * DAY,) * 3, 90 * DAY, 30 * DAY, 30 * DAY),
    "refresh_token": ("fixed",) * 6 + ("rotates",),
    "echo": (True, True, False, True, True, True, True),
    "repeated_event": ("fatal",) * 6 + ("harmless",),
    "early_cursor_ms": (0, 0, 1, 0, 0, 1, 0),
    "naive_dates": (True, False, False, False, True, False, False),
    "unwraps_optional": (True, False, False, False, True, False, False),
    "null_phone": ("null", "empty", "empty", "empty", "null", "empty", "null"),
    "workspaces": ("oldest", "newest", "newest", "newest", "oldest", "newest", "newest"),
    "auto_join": ([], [], [], ["lobby"], [], [], []),
}


@pytest.mark.parametrize("name", TABLE)
def test_profiles_have_the_values_of_the_contract(name):
    profiles = json.loads((CHECKOUT / "deploy/clients.json").read_text())
    assert {key: profile[name] for key, profile in profiles.items()} == dict(zip(KEYS, TABLE[name]))
