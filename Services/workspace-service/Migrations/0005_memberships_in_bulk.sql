-- Who leaves the default channel leaves the workspace: asked once a statement. Asked once a row, and at the end, it took
-- longer than all else when a large workspace was deleted. The subqueries are scalar so that none becomes a scan.
drop trigger channel_member_default_channel on channel_member;

create function require_default_memberships() returns trigger language plpgsql set search_path from current as $$
begin
    if exists (
        select from gone g
        where (select c.is_default from channel c where c.id = g.channel)
            and (select true from member m where m.workspace = g.workspace and m.user_id = g.user_id)
            and (select true from channel_member cm where cm.channel = g.channel and cm.user_id = g.user_id) is null
    ) then
        raise exception using errcode = 'check_violation', constraint = 'member_is_in_default_channel',
            table = tg_table_name, message = 'every member is in the default channel';
    end if;
    return null;
end $$;

create trigger channel_member_deleted after delete on channel_member referencing old table as gone
    for each statement execute function require_default_memberships();
create trigger channel_member_updated after update on channel_member referencing old table as gone
    for each statement execute function require_default_memberships();
