-- A replaced cover stays for some time, because clients keep its path. due_at is when it was replaced.
alter table unused_cover
    add column is_replaced boolean not null default false,
    -- The workspace whose members may still load it; null for an upload that was never shown.
    add column workspace bigint,
    -- The channel that had it; 0 for a workspace's own.
    add column channel bigint not null default 0;
drop index unused_cover_due;
create index unused_cover_due on unused_cover (is_replaced, due_at);
create index unused_cover_workspace on unused_cover (workspace, channel, due_at) where is_replaced;

create or replace function follow_cover() returns trigger language plpgsql set search_path from current as $$
declare
    its_workspace bigint;
    its_channel bigint := 0;
begin
    if tg_op <> 'DELETE' then
        delete from unused_cover where path = new.image;
    end if;
    if tg_op = 'INSERT' then
        return null;
    end if;
    if tg_table_name = 'workspace' then
        its_workspace := old.id;
    else
        its_workspace := old.workspace;
        its_channel := old.id;
    end if;
    -- The default picture of the system workspaces is never removed.
    if old.image <> '/static/workspaces/default.png' then
        if tg_op = 'DELETE' or new.image is distinct from old.image then
            insert into unused_cover (path, due_at, is_replaced, workspace, channel)
            values (
                old.image, (extract(epoch from now()) * 1000)::bigint, tg_op = 'UPDATE', its_workspace, its_channel
            ) on conflict do nothing;
        end if;
    end if;
    -- The 20 newest of a workspace or channel stay, and none of a deleted one.
    if tg_op = 'UPDATE' then
        update unused_cover set is_replaced = false where path in (
            select path from unused_cover
            where workspace = its_workspace and channel = its_channel and is_replaced
            order by due_at desc, path offset 20
        );
    else
        update unused_cover set is_replaced = false
        where workspace = its_workspace and channel = its_channel and is_replaced;
    end if;
    return null;
end $$;
