"""What deploy/up promises of the real services: how fast they are there, and how little they keep."""

import os

SERVICES = {"auth-service", "workspace-service", "chat-service", "realtime-gateway", "payment-service"}
MEGABYTE = 1 << 20


def test_a_warm_start_of_all_of_maru_takes_less_than_ten_seconds(warm_start):
    assert warm_start.seconds < 10 * float(os.environ.get("MARU_PATIENCE", 1))


def test_idle_services_keep_little_memory_to_themselves(warm_start):
    assert SERVICES | {"postgres", "redis", "gateway"} < warm_start.anonymous.keys()
    for service in SERVICES:
        assert 0 < warm_start.anonymous[service] <= 20 * MEGABYTE, service
    assert sum(warm_start.anonymous.values()) <= 120 * MEGABYTE
