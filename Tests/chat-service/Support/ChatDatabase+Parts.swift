import Postgres
import TestSupport

extension ChatDatabase {
    /// The number of parts of each table.
    private static let parts = 16

    /// Makes the schema `parts`: the tables of `chat` that have a workspace, partitioned by its hash, with the workspace in each
    /// key, as a schema on many machines has them. Other tables are as they are.
    func divide() async throws {
        _ = try await ask(
            """
            create schema parts;
            -- As on Citus.
            create function parts.get_shard_id_for_distribution_column(tab regclass, workspace bigint) returns bigint
                language sql stable as $part$
                    select part::bigint from generate_series(0, \(Self.parts - 1)) as part
                    where satisfies_hash_partition(tab, \(Self.parts), part, workspace)
                $part$;
            do $do$
            declare
                tab record;
                key record;
            begin
                for tab in
                    select relname as name, c.oid, exists (
                            select from pg_attribute where attrelid = c.oid and attname = 'workspace') as is_divided
                    from pg_class c
                    where relnamespace = 'chat'::regnamespace and relkind in ('r', 'p') and not relispartition
                loop
                    if not tab.is_divided then
                        execute format('create table parts.%1$I (like chat.%1$I including all)', tab.name);
                        continue;
                    end if;
                    execute format(
                        'create table parts.%1$I (like chat.%1$I including defaults including constraints
                            including generated including identity) partition by hash (workspace)', tab.name);
                    for number in 0..\(Self.parts - 1) loop
                        execute format(
                            'create table parts.%I partition of parts.%I for values with (modulus \(Self.parts), remainder %s)',
                            tab.name || '_p' || number, tab.name, number);
                    end loop;
                    for key in
                        select conname, pg_get_indexdef(indexrelid) as index, pg_get_constraintdef(con.oid) as text,
                            indisunique
                        from pg_index left join pg_constraint con on conindid = indexrelid and contype in ('p', 'u')
                        where indrelid = tab.oid
                    loop
                        if key.conname is not null then
                            if strpos(key.text, 'workspace') = 0 then
                                key.text := replace(key.text, '(', '(workspace, ');
                            end if;
                            execute format(
                                'alter table parts.%I add constraint %I %s', tab.name, key.conname, key.text);
                        else
                            if key.indisunique and strpos(key.index, '(workspace') = 0 then
                                key.index := regexp_replace(key.index, 'USING btree \\(', 'USING btree (workspace, ');
                            end if;
                            execute regexp_replace(key.index, ' ON (ONLY )?chat\\.', ' ON parts.');
                        end if;
                    end loop;
                end loop;
            end $do$
            """)
    }

    /// The plan of a statement in the schema `parts`; nil if it cannot be planned there.
    func plan(of statement: StoreStatement, number: Int) async throws -> String? {
        try await run { pool in
            do {
                return try await pool.transaction { tx in
                    try await tx.query(Self.prepareSession)
                    try await tx.execute(.write("prepare", unprepared: "prepare s\(number) as \(statement.sql)"))
                    let types = try await tx.query(Self.types, "s\(number)").value(as: [String].self)
                    let values = types.isEmpty ? "" : "(\(types.enumerated().map(Self.value).joined(separator: ", ")))"
                    let explain = "explain (costs off) execute s\(number)\(values)"
                    return try await tx.query(.read("explain", unprepared: explain))
                        .map { row throws(PostgresError) in try row.next(as: String.self) }.joined(separator: "\n")
                }
            } catch let error as PostgresError where error.kind == .server {
                return nil
            }
        }
    }

    private static let prepareSession = Statement.write(
        "set path",
        "select set_config('search_path', 'parts, chat', true), set_config('plan_cache_mode', 'force_custom_plan', true)"
    )
    private static let types = Statement.write(
        "types", "select parameter_types::text[] from pg_prepared_statements where name = $1")

    /// Numbers grow from parameter to parameter, so that a range between two of them is not empty.
    private static func value(_ index: Int, of type: String) -> String {
        switch type {
        case "bigint", "integer", "smallint": "\(index + 5)"
        case "boolean": "true"
        case "bigint[]", "integer[]", "smallint[]": "'{5}'"
        case "boolean[]": "'{true}'"
        case "text[]", "bytea[]": "'{x}'"
        // Not empty, because some statements do less for an empty text.
        case "text": "'5'"
        default: "''"
        }
    }
}
