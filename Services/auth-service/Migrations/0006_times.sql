-- Times that were timestamps become what every other time is: a bigint, milliseconds since 1970.
alter table unused_portrait
    alter column due_at type bigint using (extract(epoch from due_at) * 1000)::bigint;

create or replace function follow_portrait() returns trigger language plpgsql set search_path from current as $$
begin
    if tg_op = 'UPDATE' then
        delete from unused_portrait where path = new.profile_image;
    end if;
    if old.profile_image is not null then
        insert into unused_portrait (path, due_at)
        values (old.profile_image, (extract(epoch from now()) * 1000)::bigint) on conflict do nothing;
    end if;
    return null;
end $$;
