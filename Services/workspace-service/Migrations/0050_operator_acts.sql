-- The audit log of operators: each act has an entry before it begins and one with its outcome. As in 0020_audit.sql, the role
-- audit owns it, and the role of the service may add and read entries, and neither change nor delete them.
--
-- deploy/postgres/roles.sql lends the role to the service for this migration, by the role audit_keeper. A superuser, such as
-- that of the tests, needs no loan.
do $$
begin
    if not pg_has_role(session_user, 'audit', 'member') then
        raise exception 'the role audit is not lent to %: run deploy/postgres/roles.sql first', session_user;
    end if;
end $$;

set local role audit;

create table audit.operator_act (
    id bigint generated always as identity primary key,
    -- The name that the performing service gives the entry, so that a repeated call adds nothing.
    key text not null unique,
    -- The call of the operator; both entries of an act have it.
    call text not null,
    at bigint not null,
    -- The operator, as they call themselves.
    operator text not null,
    address text not null,
    service text not null,
    act text not null,
    -- The target, such as users/5; empty for nothing in particular.
    subject text not null,
    -- Null before the act begins; then `done` or the code of the failure.
    outcome text
);
create index operator_act_subject on audit.operator_act (subject, id);
create index operator_act_operator on audit.operator_act (operator, id);

-- Nobody is exempt, not even the role audit: entries are kept for ever.
create function audit.refuse_change_of_act() returns trigger language plpgsql set search_path = audit as $$
begin
    raise exception using errcode = 'insufficient_privilege', message = 'the audit log of operators cannot be changed';
end $$;
create trigger append_only before update or delete on audit.operator_act
    for each row execute function audit.refuse_change_of_act();
create trigger never_emptied before truncate on audit.operator_act execute function audit.refuse_change_of_act();
alter table audit.operator_act enable always trigger append_only, enable always trigger never_emptied;

do $$
begin
    if session_user <> 'audit' then
        execute format('grant select, insert on audit.operator_act to %I', session_user);
    end if;
end $$;

reset role;

-- The service gives the lent role back.
do $$
begin
    if not (select rolsuper from pg_roles where rolname = session_user) then
        execute format('revoke audit_keeper from %I', session_user);
    end if;
end $$;
