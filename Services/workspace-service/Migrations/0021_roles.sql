-- The role of a member. The owner's is in the table workspace; the role here is the owner's after a transfer.
alter table member
    add column role text not null default 'member'
        constraint member_role check (role in ('admin', 'member', 'guest'));

-- Users that may not come back.
create table ban (
    workspace bigint not null references workspace (id) on delete cascade,
    user_id bigint not null,
    -- Null once the account of the moderator is deleted.
    banned_by bigint,
    banned_at bigint not null,
    primary key (workspace, user_id)
);
create index ban_user on ban (user_id);
create index ban_moderator on ban (banned_by);

-- Guests are only in the channels that they were put in, so the default channel is not among them by itself.
create or replace function require_default_membership() returns trigger
language plpgsql set search_path from current as $$
declare
    changed record := case when tg_op = 'DELETE' then old else new end;
begin
    if exists (
        select from member m join channel c on c.workspace = m.workspace and c.is_default
        where m.workspace = changed.workspace and m.user_id = changed.user_id and m.role <> 'guest'
            and not exists (select from channel_member cm where cm.channel = c.id and cm.user_id = m.user_id)
    ) then
        raise exception using errcode = 'check_violation', constraint = 'member_is_in_default_channel',
            table = tg_table_name, message = 'every member is in the default channel';
    end if;
    return null;
end $$;

create constraint trigger member_role_default_channel after update of role on member
    deferrable initially deferred for each row execute function require_default_membership();

create or replace function require_default_memberships() returns trigger
language plpgsql set search_path from current as $$
begin
    if exists (
        select from gone g
        where (select c.is_default from channel c where c.id = g.channel)
            and (
                select m.role <> 'guest' from member m where m.workspace = g.workspace and m.user_id = g.user_id
            )
            and (select true from channel_member cm where cm.channel = g.channel and cm.user_id = g.user_id) is null
    ) then
        raise exception using errcode = 'check_violation', constraint = 'member_is_in_default_channel',
            table = tg_table_name, message = 'every member is in the default channel';
    end if;
    return null;
end $$;
