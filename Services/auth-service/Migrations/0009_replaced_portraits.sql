-- A replaced portrait stays for some time, because clients keep its path. due_at is when it was replaced.
alter table unused_portrait
    add column is_replaced boolean not null default false,
    -- The account that had it; null for an upload that no account ever had.
    add column account bigint;
drop index unused_portrait_due;
create index unused_portrait_due on unused_portrait (is_replaced, due_at);
create index unused_portrait_account on unused_portrait (account, due_at) where is_replaced;

create or replace function follow_portrait() returns trigger language plpgsql set search_path from current as $$
begin
    if tg_op = 'UPDATE' then
        delete from unused_portrait where path = new.profile_image;
    end if;
    if old.profile_image is not null then
        insert into unused_portrait (path, due_at, is_replaced, account)
        values (old.profile_image, (extract(epoch from now()) * 1000)::bigint, true, old.id) on conflict do nothing;
    end if;
    -- The 20 newest of an account stay, and none of a deleted account.
    update unused_portrait set is_replaced = false where path in (
        select path from unused_portrait where account = old.id and is_replaced
        order by due_at desc, path offset case when tg_op = 'UPDATE' then 20 else 0 end
    );
    return null;
end $$;
