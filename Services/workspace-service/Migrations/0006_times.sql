-- Times that were timestamps become what every other time is: a bigint, milliseconds since 1970.
alter table unused_cover
    alter column due_at type bigint using (extract(epoch from due_at) * 1000)::bigint;

create or replace function follow_cover() returns trigger language plpgsql set search_path from current as $$
begin
    if tg_op <> 'DELETE' then
        delete from unused_cover where path = new.image;
    end if;
    -- The default picture of the system workspaces is never removed.
    if tg_op <> 'INSERT' and old.image <> '/static/workspaces/default.png' then
        if tg_op = 'DELETE' or new.image is distinct from old.image then
            insert into unused_cover (path, due_at)
            values (old.image, (extract(epoch from now()) * 1000)::bigint) on conflict do nothing;
        end if;
    end if;
    return null;
end $$;
