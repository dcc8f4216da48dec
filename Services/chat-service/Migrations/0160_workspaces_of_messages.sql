-- The workspace of each message, so that the chat schema can be divided by workspace. 0 means that it is not known yet; the trigger
-- looks for it then. Statements that name it cost no look. The constant default rewrites no table.
create function workspace_of_room() returns trigger language plpgsql set search_path from current as $$
begin
    new.workspace := coalesce(
        (select workspace from room where room.kind = new.kind and room.id = new.room),
        (select workspace from dm where new.kind = 2 and dm.id = new.room), 0);
    return new;
end $$;

-- A vacuum of a large table takes hours. It gives way to a lock that is waited for during a second. This lock waits for vacuums
-- alone, so no call waits behind it.
set local lock_timeout = '10s';
lock table message in share update exclusive mode;
set local lock_timeout = '200ms';
alter table message add column workspace bigint not null default 0;
create trigger message_workspace before insert or update on message
    for each row when (new.workspace = 0) execute function workspace_of_room();
