"""Holds the sources against the rules of the architecture, and each rule against a planted violation. Needs no server."""

import pytest
import rules
from sources import ROOT, Source, swift_sources

SOURCES = swift_sources("Services", "Shared", "Tools", "Tests")
PRODUCT = [source for source in SOURCES if source.parts[0] != "Tests"]
MIGRATIONS = [
    Source(str(path.relative_to(ROOT)), path.read_text()) for path in sorted(ROOT.glob("Services/*/Migrations/*.sql"))
]
PACKAGE = (ROOT / "Package.swift").read_text()

# Violations that stand, each with the rule's text; nothing new comes in here.
ALLOWED = {line for line in (ROOT / "Tests/Architecture/allowed.txt").read_text().splitlines() if line[:1] not in ("", "#")}


def check(violations):
    found = list(violations)
    standing = [violation for violation in found if f"{violation.path}: {violation.rule}" not in ALLOWED]
    assert not standing, "\n" + "\n".join(map(str, standing))


def test_services_have_the_same_folders():
    check(rules.services_have_the_same_rooms(PRODUCT))


def test_domain_names_no_route_and_no_postgres_error():
    check(rules.domain_knows_no_routes(PRODUCT))


def test_sql_is_in_stores():
    check(rules.sql_is_in_stores(PRODUCT))


def test_reads_do_not_write():
    check(rules.statements_are_what_they_say(PRODUCT))


def test_redis_commands_are_in_stores():
    check(rules.redis_is_in_stores(PRODUCT))


def test_routes_do_not_import_postgres():
    check(rules.routes_know_no_database(PRODUCT))


def test_pools_are_in_stores():
    check(rules.pools_are_in_stores(PRODUCT))


def test_folders_point_one_way():
    check(rules.folders_point_one_way(PRODUCT))


def test_modules_know_only_the_floors_below():
    check(rules.modules_know_floors_below(PACKAGE))
    check(rules.imports_are_declared(PRODUCT, PACKAGE))


def test_times_are_milliseconds():
    check(rules.times_are_milliseconds(MIGRATIONS))


def test_loops_are_given():
    check(rules.loops_are_given(PRODUCT))


def test_a_migration_keeps_the_version_before_working():
    check(rules.migrations_keep_the_version_before_working(MIGRATIONS))


def test_every_action_of_the_audit_log_is_written():
    check(rules.audit_actions_are_written(PRODUCT))


def test_no_file_is_long():
    check(rules.files_are_short(SOURCES))


def test_no_type_of_a_service_has_many_stored_variables():
    check(rules.types_are_small(PRODUCT))


def test_every_allowed_violation_still_stands():
    found = set()
    for rule in (
        rules.services_have_the_same_rooms, rules.domain_knows_no_routes, rules.sql_is_in_stores,
        rules.statements_are_what_they_say, rules.redis_is_in_stores, rules.routes_know_no_database, rules.pools_are_in_stores,
        rules.folders_point_one_way, rules.types_are_small, rules.loops_are_given,
    ):
        found |= {f"{violation.path}: {violation.rule}" for violation in rule(PRODUCT)}
    found |= {f"{violation.path}: {violation.rule}" for violation in rules.files_are_short(SOURCES)}
    assert not ALLOWED - found


ROUTE = Source("Services/x-service/Routes/RoomView.swift", "struct RoomView {}\n")

PLANTED = {
    "a migration that takes a column from the version before": (
        rules.migrations_keep_the_version_before_working,
        [
            Source("Services/x-service/Migrations/0009_a.sql", "alter table a drop column b;\ndrop index c;\n"),
            Source("Services/x-service/Migrations/0010_b.sql", "alter table a add d bigint; -- drop column e\n"),
        ],
        ["Services/x-service/Migrations/0009_a.sql:1: the version before may need what this changes: drop column"],
    ),
    "a folder of one service alone": (
        rules.services_have_the_same_rooms,
        [Source("Services/x-service/Cellar/A.swift", ""), Source("Services/x-service/Domain/Room/A.swift", "")],
        ["Services/x-service/Cellar/A.swift:1: a folder that services do not have: Cellar"],
    ),
    "Domain returns a view": (
        rules.domain_knows_no_routes,
        [ROUTE, Source("Services/x-service/Domain/Rooms.swift", "import Wire\nfunc f() -> RoomView { g() }\n")],
        ["Services/x-service/Domain/Rooms.swift:2: Domain names RoomView of Routes"],
    ),
    "Domain reads a database error": (
        rules.domain_knows_no_routes,
        [ROUTE, Source("Services/x-service/Domain/Rooms.swift", "catch let e as PostgresError {}\n")],
        ["Services/x-service/Domain/Rooms.swift:1: Domain names PostgresError"],
    ),
    "a comment or a text is not code": (
        rules.domain_knows_no_routes,
        [ROUTE, Source("Services/x-service/Domain/Rooms.swift", '// RoomView\nlet a = "PostgresError"\n')],
        [],
    ),
    "a statement in Domain": (
        rules.sql_is_in_stores,
        [Source("Services/x-service/Domain/Rooms.swift", 'let a = Statement.read("a", "select 1")\n')],
        ["Services/x-service/Domain/Rooms.swift:1: a statement outside Store"],
    ),
    "SQL as text in Routes": (
        rules.sql_is_in_stores,
        [Source("Services/x-service/Routes/A.swift", 'let a = """\n    select 1 from room\n    """\n')],
        ["Services/x-service/Routes/A.swift:1: SQL outside Store"],
    ),
    "a read that locks": (
        rules.statements_are_what_they_say,
        [Source("Services/x-service/Store/A.swift", 'Statement.read(\n    "a",\n    """\n    select 1 FOR UPDATE\n    """)\n')],
        ["Services/x-service/Store/A.swift:1: a read with words of a write"],
    ),
    "a Redis command in Domain": (
        rules.redis_is_in_stores,
        [Source("Services/x-service/Domain/A.swift", "redis.observe { }\ntry await redis.publish(a, to: b)\n")],
        ["Services/x-service/Domain/A.swift:2: a Redis command outside Store: redis.publish("],
    ),
    "state in Redis in Events": (
        rules.redis_is_in_stores,
        [Source("Services/x-service/Events/A.swift", "try await redis.hint(a)\nlet b = try await redis.get(c)\n")],
        ["Services/x-service/Events/A.swift:2: a Redis command outside Store: redis.get("],
    ),
    "a route with the database": (
        rules.routes_know_no_database,
        [Source("Services/x-service/Routes/A.swift", "import HTTP\nimport Postgres\n")],
        ["Services/x-service/Routes/A.swift:2: Routes import Postgres"],
    ),
    "a pool in Domain": (
        rules.pools_are_in_stores,
        [
            Source("Services/x-service/App.swift", "let a: PostgresPool\n"),
            Source("Services/x-service/Store/A.swift", "let a: PostgresPool\n"),
            Source("Services/x-service/Domain/A.swift", "struct A {\n    let database: PostgresPool\n}\n"),
        ],
        ["Services/x-service/Domain/A.swift:2: PostgresPool outside App.swift and Store"],
    ),
    "a folder that looks up": (
        rules.folders_point_one_way,
        [
            Source("Shared/ServiceKit/Config/Config.swift", "struct Config {}\nlet a: Service\n"),
            Source("Shared/ServiceKit/Service/Service.swift", "enum Service {}\nlet a: Config\n"),
            Source("Shared/ServiceKit/Cellar/Box.swift", "enum Box {}\n"),
        ],
        [
            "Shared/ServiceKit/Cellar/Box.swift:1: a folder without a place in the order of Shared/ServiceKit",
            "Shared/ServiceKit/Config/Config.swift:2: Config names Service of Service",
        ],
    ),
    "a loop that nobody gave": (
        rules.loops_are_given,
        [
            Source("Shared/EventLoop/LoopLocal.swift", "let a = EventLoop.current\n"),
            Source("Services/x-service/Domain/A.swift", "let b = loop.current\nlet a = EventLoop.current\n"),
        ],
        ["Services/x-service/Domain/A.swift:2: asks for the current loop instead of being given one"],
    ),
    "a timestamp in a migration": (
        rules.times_are_milliseconds,
        [Source("Services/x-service/Migrations/0001_a.sql", "-- timestamps\ncreate table a (at timestamptz);\n")],
        ["Services/x-service/Migrations/0001_a.sql:2: a time that is not a bigint of milliseconds"],
    ),
    "an action of the audit log that nobody writes": (
        rules.audit_actions_are_written,
        [
            Source("Shared/Contract/AuditAction.swift", 'enum A: String {\n    case eaten = "eaten"\n    case cooked = "c"\n}\n'),
            Source("Services/x-service/Domain/A.swift", "// .eaten\nlet a = AuditEvent(.cooked)\n"),
        ],
        ["Shared/Contract/AuditAction.swift:2: no service writes eaten to the audit log"],
    ),
    "a long file": (
        rules.files_are_short,
        [Source("Shared/A/A.swift", "\n" * 251), Source("Shared/A/B.swift", "\n" * 250)],
        ["Shared/A/A.swift:251: 251 lines, more than 250"],
    ),
    "a type with too many variables": (
        rules.types_are_small,
        [
            Source(
                "Services/x-service/Domain/A.swift",
                "struct A {\n" + "".join(f"    var a{i} = {{ 1 }}()\n" for i in range(10))
                + "    private let b, c: Int\n    var d: Int { 1 }\n    let e: (Int, Int)\n    func f() {\n        let g = 1\n    }\n}\n")
        ],
        ["Services/x-service/Domain/A.swift:1: A has 13 stored variables, more than 12"],
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_violation_is_found(name):
    rule, sources, expected = PLANTED[name]
    assert [str(violation) for violation in rule(sources)] == expected


def test_a_planted_dependency_is_found():
    package = '// Floor 1: a\nmodule("A", on: ["B"]),\n// Floor 2: b\nmodule("B", on: ["A"]),\n// The services\n'
    found = [str(violation) for violation in rules.modules_know_floors_below(package)]
    assert found == ["Package.swift:2: A depends on B, which is not below it"]
    source = Source("Shared/B/B.swift", "import A\ninternal import C\n")
    package = 'library("C"), module("A", on: []), module("B", on: ["A"])'
    assert [str(violation) for violation in rules.imports_are_declared([source], package)] == [
        "Shared/B/B.swift:2: B imports C"
    ]
