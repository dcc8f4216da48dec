-- Threads. A reply carries the seq of the root of its thread. The new columns have constant defaults, so no table is
-- rewritten. Times are milliseconds since 1970.
alter table message
    add column thread bigint,
    -- A reply that is in its thread alone, and not in the timeline of the room.
    add column is_aside boolean not null default false;
-- Whether the room has had such replies: without them its history is read by seq alone.
alter table room add column has_asides boolean not null default false;

-- The replies that are not deleted. An index of the messages themselves would stop all sends while it is built.
create table reply (
    kind smallint not null,
    room bigint not null,
    seq bigint not null,
    root bigint not null,
    is_aside boolean not null,
    primary key (kind, room, seq),
    foreign key (kind, room, seq) references message on delete cascade
);
create index reply_of_thread on reply (kind, room, root, seq);

-- The summaries of threads: the number of replies, the newest one, and the newest authors, newest first.
create table thread (
    kind smallint not null,
    room bigint not null,
    root bigint not null,
    count bigint not null,
    last_seq bigint not null,
    last_at bigint not null,
    users bigint[] not null,
    primary key (kind, room, root),
    foreign key (kind, room, root) references message on delete cascade
);

-- The users that follow threads or have followed them, and up to which reply they have read.
create table thread_follower (
    user_id bigint not null,
    kind smallint not null,
    room bigint not null,
    root bigint not null,
    is_following boolean not null,
    read_seq bigint not null,
    primary key (user_id, kind, room, root),
    foreign key (kind, room, root) references message on delete cascade
);
create index thread_follower_of_thread on thread_follower (kind, room, root);
