-- Pictures that nothing refers to: uploaded for what is not there yet, or left behind by what was changed or deleted.
-- They are removed once they are due. Whoever changes a picture, here or by a cascade, cannot forget the one before.
create table unused_cover (
    path text primary key,
    due_at timestamptz not null
);
create index unused_cover_due on unused_cover (due_at);

create function follow_cover() returns trigger language plpgsql set search_path from current as $$
begin
    if tg_op <> 'DELETE' then
        delete from unused_cover where path = new.image;
    end if;
    -- The picture of all that the system makes stays.
    if tg_op <> 'INSERT' and old.image <> '/static/workspaces/default.png' then
        if tg_op = 'DELETE' or new.image is distinct from old.image then
            insert into unused_cover (path, due_at) values (old.image, now()) on conflict do nothing;
        end if;
    end if;
    return null;
end $$;

create trigger workspace_cover after insert or delete or update of image on workspace
    for each row execute function follow_cover();
create trigger channel_cover after insert or delete or update of image on channel
    for each row execute function follow_cover();
