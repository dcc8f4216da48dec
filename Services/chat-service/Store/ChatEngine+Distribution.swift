import Postgres

extension ChatEngine {
    /// How the tables are divided; nil for tables on one server.
    var distribution: Distribution? {
        switch self {
        case .postgres: nil
        // A statement for several workers asks them one after the other on sessions that are open already. By default it opens a session
        // for each part of a table, which takes longer than the statement.
        case .citus:
            Distribution(
                by: "citus", script: Self.divide, sessionSettings: ["citus.max_adaptive_executor_pool_size": "1"])
        }
    }

    /// Divides all tables with a workspace by it, so that a workspace is on one server with all its rows, keys and foreign keys. Keys
    /// of a divided table contain the workspace. Triggers that fill in a workspace serve the release 0.2.0, which knows no division.
    private static let divide = """
        set local search_path = chat, public;
        set local citus.multi_shard_modify_mode = 'sequential';
        set local client_min_messages = error;
        do $$
        declare
            whole text[] := array(
                select relname from pg_class c
                where relnamespace = 'chat'::regnamespace and relkind in ('r', 'p') and not relispartition
                    and oid not in (select logicalrelid from pg_dist_partition)
                    and exists (
                        select from pg_attribute where attrelid = c.oid and attname = 'workspace' and not attisdropped)
                order by relname <> 'room', relname);
            -- Tables, names and definitions.
            foreign_keys text[][] := array(
                select array[conrelid::regclass::text, conname, pg_get_constraintdef(oid)] from pg_constraint
                where contype = 'f' and conrelid = any(whole::regclass[]));
            tab text;
            part record;
        begin
            for number in 1..coalesce(array_length(foreign_keys, 1), 0) loop
                execute format('alter table %I drop constraint %I', foreign_keys[number][1], foreign_keys[number][2]);
            end loop;
            foreach tab in array whole loop
                for part in select tgname from pg_trigger where tgrelid = tab::regclass and not tgisinternal loop
                    execute format('drop trigger %I on %I', part.tgname, tab);
                end loop;
                for part in
                    select conname, pg_get_constraintdef(k.oid) as key, pg_get_indexdef(indexrelid) as index,
                        indexrelid::regclass as id
                    from pg_index
                    left join pg_constraint k on conindid = indexrelid and contype in ('p', 'u') and conrelid = indrelid
                    where indrelid = tab::regclass and indisunique and not exists (
                        select from pg_attribute where attrelid = indexrelid and attname = 'workspace')
                loop
                    if part.conname is null then
                        execute format('drop index %s', part.id);
                        execute regexp_replace(part.index, 'USING btree \\(', 'USING btree (workspace, ');
                    else
                        execute format('alter table %I drop constraint %I', tab, part.conname);
                        execute format('alter table %I add constraint %I %s', tab, part.conname,
                            regexp_replace(part.key, '\\(', '(workspace, '));
                    end if;
                end loop;
                perform create_distributed_table(
                    tab::regclass, 'workspace', colocate_with => case tab when 'room' then 'none' else 'room' end);
            end loop;
            for number in 1..coalesce(array_length(foreign_keys, 1), 0) loop
                execute format(
                    'alter table %I add constraint %I %s', foreign_keys[number][1], foreign_keys[number][2], case
                        when strpos(foreign_keys[number][3], '(workspace') > 0 then foreign_keys[number][3]
                        else regexp_replace(foreign_keys[number][3], '\\(', '(workspace, ', 'g') end);
            end loop;
        end $$;
        select create_reference_table(c.oid::regclass)
        from pg_class c
        where c.relnamespace = 'chat'::regnamespace and c.relname in ('user_settings', 'search_partition')
            and c.oid not in (select logicalrelid from pg_dist_partition);
        """
}
