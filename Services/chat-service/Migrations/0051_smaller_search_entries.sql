-- Search entries of half the size: hashes of 32 bits, columns ordered by size, and an index of the times alone. The entries are
-- written again in the background.
drop table search_entry;
create table search_entry (
    created_at bigint not null,
    room bigint not null,
    seq bigint not null,
    author bigint not null,
    kind smallint not null,
    -- A sum of 1 for a file, 2 for an image, 4 for a link and 8 for a reaction.
    traits smallint not null,
    -- Hashes of the short pieces of text under which the message is found.
    grams int[] not null
) partition by range (created_at);
-- Searches walk it from the newest. The writer of a room deletes an entry before it writes it again, so that a message has one.
create index search_entry_created_at on search_entry (created_at);
-- Queries read the list of pending rows one by one, so that list stays short.
create index search_entry_grams on search_entry using gin (grams) with (gin_pending_list_limit = 256);
delete from search_progress;
