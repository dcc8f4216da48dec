-- The audit log: actions with their actor, target and origin. The role audit owns it, and nobody can sign in as that role.
-- The role of the service may add and read entries, and neither change nor delete them.
--
-- deploy/postgres/roles.sql makes the role and the schema, and lends the role to the service for this migration. A
-- superuser, such as that of the tests, makes them here.
do $$
begin
    if not exists (select from pg_roles where rolname = 'audit') then
        create role audit nologin;
    end if;
exception
    -- Made for another database at the same time.
    when duplicate_object or unique_violation then null;
    when insufficient_privilege then
        raise exception 'the role audit is missing: run deploy/postgres/roles.sql first';
end $$;

do $$
begin
    if to_regnamespace('audit') is null then
        create schema audit authorization audit;
    end if;
end $$;

set local role audit;

create table audit.entry (
    id bigint generated always as identity primary key,
    workspace bigint not null,
    -- The name that the writing service gives the event, so that a repeated call adds nothing.
    key text unique,
    at bigint not null,
    action text not null,
    -- Null if the product did it by itself.
    actor bigint,
    -- The user that it happened to.
    user_id bigint,
    -- The thing that it happened to; empty for none.
    subject text not null default '',
    detail jsonb not null default '{}',
    -- Where the call came from; null if the product did it, and once the account of the actor is deleted.
    address text,
    app text,
    session bigint
);
create index entry_order on audit.entry (workspace, id);
create index entry_actor on audit.entry (workspace, actor, id);
create index entry_user on audit.entry (workspace, user_id, id) where user_id is not null;
create index entry_origin on audit.entry (actor) where address is not null;
create index entry_at on audit.entry (at);

-- Only the two functions below run as audit.
create function audit.refuse_change() returns trigger language plpgsql set search_path = audit as $$
begin
    if current_user = 'audit' and tg_op <> 'TRUNCATE' then
        return case tg_op when 'DELETE' then old else new end;
    end if;
    raise exception using errcode = 'insufficient_privilege', message = 'the audit log cannot be changed';
end $$;
create trigger append_only before update or delete on audit.entry
    for each row execute function audit.refuse_change();
create trigger never_emptied before truncate on audit.entry execute function audit.refuse_change();
alter table audit.entry enable always trigger append_only, enable always trigger never_emptied;

-- Deletes at most a thousand entries older than a time, and none of the last thirty days in any case.
create function audit.expire(before bigint) returns bigint language sql security definer set search_path = audit as $$
    with expired as (
        delete from audit.entry where id in (
            select id from audit.entry
            where at < least(before, (extract(epoch from now()) * 1000)::bigint - 30 * 86400000::bigint)
            order by at limit 1000
        )
        returning 1
    )
    select count(*) from expired
$$;

-- Takes the origin from the entries of a deleted account. Action, actor, target and time stay.
create function audit.forget(account bigint) returns void language sql security definer set search_path = audit as $$
    update audit.entry set address = null, app = null, session = null where actor = account and address is not null
$$;

revoke all on function audit.expire(bigint), audit.forget(bigint) from public;
-- The service that runs this migration.
do $$
begin
    if session_user <> 'audit' then
        execute format('grant usage on schema audit to %I', session_user);
        execute format('grant select, insert on audit.entry to %I', session_user);
        execute format('grant execute on function audit.expire(bigint), audit.forget(bigint) to %I', session_user);
    end if;
end $$;

reset role;

-- The service gives the lent role back.
do $$
begin
    if not (select rolsuper from pg_roles where rolname = session_user) then
        execute format('revoke audit from %I', session_user);
    end if;
end $$;
