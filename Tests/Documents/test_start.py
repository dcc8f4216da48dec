"""deploy/up starts the real services fast, and idle services use little memory."""

from conftest import LONGEST_START

SERVICES = {"auth-service", "workspace-service", "chat-service", "realtime-gateway", "payment-service"}
MEGABYTE = 1 << 20


def test_a_warm_start_takes_less_than_ten_seconds(warm_start):
    assert warm_start.seconds < LONGEST_START


def test_idle_services_use_little_anonymous_memory(warm_start):
    assert SERVICES | {"postgres", "redis", "gateway"} < warm_start.anonymous.keys()
    for service in SERVICES:
        assert 0 < warm_start.anonymous[service] <= 20 * MEGABYTE, service
    assert sum(warm_start.anonymous.values()) <= 120 * MEGABYTE
