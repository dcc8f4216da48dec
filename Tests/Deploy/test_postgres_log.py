"""The log of Postgres has no values of rows, which users write."""

import pytest
from gateway import eventually
from instance import Instance


@pytest.fixture
def instance():
    with Instance() as running:
        yield running


def test_a_refused_statement_is_logged_without_its_values(instance):
    instance.up()
    instance.psql("chat", "CREATE TABLE label (name text PRIMARY KEY, size int CHECK (size > 0))")
    assert instance.psql("chat", "INSERT INTO label VALUES ('plantedname', 1)").returncode == 0
    assert instance.psql("chat", "INSERT INTO label VALUES ('plantedname', 2)").returncode != 0
    assert instance.psql("chat", "INSERT INTO label VALUES ('plantedname2', -1)").returncode != 0
    log = instance.data / "logs/postgres.log"

    def refusals():
        text = log.read_text()
        return text if "label_pkey" in text and "label_size_check" in text else None

    text = eventually(refusals)
    assert "23505" in text and "23514" in text
    assert "planted" not in text
