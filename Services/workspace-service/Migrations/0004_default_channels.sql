-- Each workspace has a default channel, which its owner owns and every member is in: when a transaction commits this
-- holds, whatever it did.
create function require_default_channel() returns trigger language plpgsql set search_path from current as $$
declare
    changed bigint;
begin
    if tg_table_name = 'workspace' then
        changed := new.id;
    else
        changed := old.workspace;
    end if;
    if exists (
        select from workspace w left join channel c on c.workspace = w.id and c.is_default
        where w.id = changed and (c.id is null or c.owner is distinct from w.owner)
    ) then
        raise exception using errcode = 'check_violation', constraint = 'default_channel_is_owners',
            table = tg_table_name, message = 'the default channel is its workspace owner''s';
    end if;
    return null;
end $$;

create constraint trigger workspace_default_channel after insert or update of owner on workspace
    deferrable initially deferred for each row execute function require_default_channel();
create constraint trigger channel_default_channel after delete or update of owner, is_default, workspace on channel
    deferrable initially deferred for each row execute function require_default_channel();

create function require_default_membership() returns trigger language plpgsql set search_path from current as $$
declare
    changed record := case when tg_op = 'INSERT' then new else old end;
begin
    if exists (
        select from member m join channel c on c.workspace = m.workspace and c.is_default
        where m.workspace = changed.workspace and m.user_id = changed.user_id
            and not exists (select from channel_member cm where cm.channel = c.id and cm.user_id = m.user_id)
    ) then
        raise exception using errcode = 'check_violation', constraint = 'member_is_in_default_channel',
            table = tg_table_name, message = 'every member is in the default channel';
    end if;
    return null;
end $$;

create constraint trigger member_default_channel after insert on member
    deferrable initially deferred for each row execute function require_default_membership();
create constraint trigger channel_member_default_channel after delete or update on channel_member
    deferrable initially deferred for each row execute function require_default_membership();
