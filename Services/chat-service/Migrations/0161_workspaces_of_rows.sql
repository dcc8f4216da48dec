-- The workspace of each row that belongs to a room, as for messages.

set local lock_timeout = '10s';
lock table read_position, removal, told_position, message_change, message_version, reaction, pin, saved_message, room_notify,
    draft, reply, thread, thread_follower, mention, search_progress, file in share update exclusive mode;
set local lock_timeout = '200ms';

alter table read_position add column workspace bigint not null default 0;
create trigger read_position_workspace before insert or update on read_position
    for each row when (new.workspace = 0) execute function workspace_of_room();
alter table removal add column workspace bigint not null default 0;
create trigger removal_workspace before insert or update on removal
    for each row when (new.workspace = 0) execute function workspace_of_room();
alter table told_position add column workspace bigint not null default 0;
create trigger told_position_workspace before insert or update on told_position
    for each row when (new.workspace = 0) execute function workspace_of_room();
alter table message_change add column workspace bigint not null default 0;
create trigger message_change_workspace before insert or update on message_change
    for each row when (new.workspace = 0) execute function workspace_of_room();
alter table message_version add column workspace bigint not null default 0;
create trigger message_version_workspace before insert or update on message_version
    for each row when (new.workspace = 0) execute function workspace_of_room();
alter table reaction add column workspace bigint not null default 0;
create trigger reaction_workspace before insert or update on reaction
    for each row when (new.workspace = 0) execute function workspace_of_room();
alter table pin add column workspace bigint not null default 0;
create trigger pin_workspace before insert or update on pin
    for each row when (new.workspace = 0) execute function workspace_of_room();
alter table saved_message add column workspace bigint not null default 0;
create trigger saved_message_workspace before insert or update on saved_message
    for each row when (new.workspace = 0) execute function workspace_of_room();
alter table room_notify add column workspace bigint not null default 0;
create trigger room_notify_workspace before insert or update on room_notify
    for each row when (new.workspace = 0) execute function workspace_of_room();
alter table draft add column workspace bigint not null default 0;
create trigger draft_workspace before insert or update on draft
    for each row when (new.workspace = 0) execute function workspace_of_room();
alter table reply add column workspace bigint not null default 0;
create trigger reply_workspace before insert or update on reply
    for each row when (new.workspace = 0) execute function workspace_of_room();
alter table thread add column workspace bigint not null default 0;
create trigger thread_workspace before insert or update on thread
    for each row when (new.workspace = 0) execute function workspace_of_room();
alter table thread_follower add column workspace bigint not null default 0;
create trigger thread_follower_workspace before insert or update on thread_follower
    for each row when (new.workspace = 0) execute function workspace_of_room();
alter table mention add column workspace bigint not null default 0;
create trigger mention_workspace before insert or update on mention
    for each row when (new.workspace = 0) execute function workspace_of_room();
alter table search_progress add column workspace bigint not null default 0;
create trigger search_progress_workspace before insert or update on search_progress
    for each row when (new.workspace = 0) execute function workspace_of_room();
-- Files of early releases have none yet.
alter table file alter column workspace set default 0;
create trigger file_workspace before insert or update on file
    for each row when (new.workspace is null or new.workspace = 0) execute function workspace_of_room();

-- A channel has a row in `room` since its first message, and its members may have had rows before: they get its workspace then.
create function workspace_for_rows() returns trigger language plpgsql set search_path from current as $$
begin
    update read_position set workspace = new.workspace where kind = new.kind and room = new.id and workspace = 0;
    update removal set workspace = new.workspace where kind = new.kind and room = new.id and workspace = 0;
    update room_notify set workspace = new.workspace where kind = new.kind and room = new.id and workspace = 0;
    update draft set workspace = new.workspace where kind = new.kind and room = new.id and workspace = 0;
    update file set workspace = new.workspace where kind = new.kind and room = new.id and workspace = 0;
    return null;
end $$;
create trigger room_workspace after insert on room
    for each row when (new.kind = 1) execute function workspace_for_rows();
