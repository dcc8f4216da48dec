-- Pictures that no account has: uploaded for a change that is not made yet, or left behind by one. They are removed once they
-- are due. Whoever changes a picture, or deletes an account, cannot forget the one before.
create table unused_portrait (
    path text primary key,
    due_at timestamptz not null
);
create index unused_portrait_due on unused_portrait (due_at);

create function follow_portrait() returns trigger language plpgsql set search_path from current as $$
begin
    if tg_op = 'UPDATE' then
        delete from unused_portrait where path = new.profile_image;
    end if;
    if old.profile_image is not null then
        insert into unused_portrait (path, due_at) values (old.profile_image, now()) on conflict do nothing;
    end if;
    return null;
end $$;

create trigger changed_portrait after update of profile_image on account
    for each row when (new.profile_image is distinct from old.profile_image) execute function follow_portrait();
create trigger deleted_portrait after delete on account
    for each row execute function follow_portrait();
