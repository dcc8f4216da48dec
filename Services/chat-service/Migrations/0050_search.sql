-- The index of the messages' text: one row for each message, in a partition for each month. The rows are written after the
-- commit of their message, never with it.
create table search_entry (
    created_at bigint not null,
    kind smallint not null,
    room bigint not null,
    seq bigint not null,
    author bigint not null,
    -- A sum of 1 for a file, 2 for an image, 4 for a link and 8 for a reaction.
    traits smallint not null,
    -- Hashes of the short pieces of text under which the message is found.
    grams bigint[] not null,
    primary key (created_at, kind, room, seq)
) partition by range (created_at);
-- Queries read the list of pending rows one by one, so that list stays short.
create index search_entry_grams on search_entry using gin (grams) with (gin_pending_list_limit = 256);

-- How far each room is indexed, and in which form. A room without a row is not indexed at all.
create table search_progress (
    kind smallint not null,
    room bigint not null,
    -- Messages up to this seq, and changes up to this revision, are in the index.
    seq bigint not null,
    rev bigint not null,
    form smallint not null,
    primary key (kind, room)
);
