-- Scheduled messages with files and in threads. The files are stored when the message is scheduled, and belong to it until it
-- is sent.
alter table scheduled
    add column files text[] not null default '{}',
    -- The seq of the message that it replies to; null for none.
    add column thread bigint,
    add column to_room boolean not null default false;
-- The sweep of files looks for the scheduled message of a file.
create index scheduled_with_files on scheduled (kind, room) where files <> '{}';
