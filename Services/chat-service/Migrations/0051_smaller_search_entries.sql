-- Search entries of half the size. Hashes have 32 bits, and the author and the traits of a message are among its grams. The
-- entries are written again in the background. The table before stays, empty, for instances of the version before.
create table search_message (
    created_at bigint not null,
    workspace bigint not null,
    room bigint not null,
    seq bigint not null,
    kind smallint not null,
    -- Hashes of the short pieces of text, the author, the room and the traits by which the message is found.
    grams int[] not null
) partition by range (created_at);
-- Searches walk it from the newest. The writer of a room deletes an entry before it writes it again, so that a message has one.
create index search_message_newest on search_message (workspace, created_at);
-- Queries read the list of pending rows one by one, so that list stays short.
create index search_message_grams on search_message using gin (grams) with (gin_pending_list_limit = 256);
delete from search_entry;
delete from search_progress;
