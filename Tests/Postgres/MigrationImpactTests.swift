import Testing

@testable import Postgres

@Suite("The impact of migrations")
struct MigrationImpactTests {
    @Test(
        "Work that no existing row takes part in is online",
        arguments: [
            "create table a (id bigint primary key, b text check (b <> ''))", "alter table a add column b bigint",
            "alter table a add column b bigint not null default 0", "drop index a_b",
            "create index concurrently a_b on a (b)", "-- update a set b = 1\nselect 1",
            "create function f() returns trigger language plpgsql as $$ begin update a set b = 1; end $$",
            "create table a (id bigint); create index a_id on a (id); alter table a add constraint c check (id > 0)",
            "alter table a add constraint c check (b > 0) not valid", "grant select on a to b", "",
            "create statistics s (dependencies) on b, c from a; analyze a",
            "set local lock_timeout = '10s'; lock table a, b in share update exclusive mode",
            "comment on table a is 'update a; alter table a alter column b type bigint'",
        ])
    func online(sql: String) { #expect(MigrationImpact(of: sql) == .online) }

    @Test(
        "A scan, an index or a change of rows holds up writes",
        arguments: [
            "create index a_b on a (b)", "CREATE UNIQUE INDEX a_b ON a (b)", "update a set b = 1",
            "delete from a where b = 1", "alter table a alter column b set not null",
            "alter table a add constraint c check (b > 0)", "insert into a (b) select b from c",
            "alter table a add column b bigint references c (id)", "vacuum full a",
            "create table b (id bigint); update a set b = 1",
        ])
    func locks(sql: String) { #expect(MigrationImpact(of: sql) == .locks) }

    @Test(
        "A new type and a default that differs for each row write a table anew",
        arguments: [
            "alter table a alter column b type bigint",
            "alter table a alter column b set data type bigint using b::bigint",
            "alter table a add column b uuid default gen_random_uuid()",
            "alter table a add column b bigint generated always as (c + 1) stored",
            "create index a_b on a (b);\n  ALTER TABLE a\n    ALTER COLUMN b TYPE bigint",
        ])
    func rewrites(sql: String) { #expect(MigrationImpact(of: sql) == .rewrites) }

    @Test("Texts, comments and bodies of functions do not count as statements")
    func statements() {
        let script = "Select 'a;b'; -- c;\ncreate  function f() as $x$ d; $x$;\n;do $$ e; $$"
        #expect(MigrationImpact.statements(in: script) == ["select ''", "create function f() as ''", "do ''"])
    }
}
