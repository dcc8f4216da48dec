-- Changes of messages. A change raises the revision of its room, and the message carries the revision of its last change.
-- The new columns have constant defaults, so no table is rewritten. Times are milliseconds since 1970.
alter table room add column rev bigint not null default 0;
alter table message
    add column rev bigint not null default 0,
    add column edited_at bigint,
    add column deleted_at bigint;

-- The messages that have changed, by revision. An index of the messages themselves would stop all sends while it is built.
create table message_change (
    kind smallint not null,
    room bigint not null,
    seq bigint not null,
    rev bigint not null,
    primary key (kind, room, seq),
    foreign key (kind, room, seq) references message on delete cascade
);
create unique index message_change_rev on message_change (kind, room, rev);

-- The earlier texts of edited messages.
create table message_version (
    kind smallint not null,
    room bigint not null,
    seq bigint not null,
    id bigint generated always as identity,
    content text not null,
    written_at bigint not null,
    written_by bigint not null,
    primary key (kind, room, seq, id),
    foreign key (kind, room, seq) references message on delete cascade
);

create table reaction (
    kind smallint not null,
    room bigint not null,
    seq bigint not null,
    emoji text not null,
    user_id bigint not null,
    reacted_at bigint not null,
    primary key (kind, room, seq, emoji, user_id),
    foreign key (kind, room, seq) references message on delete cascade
);
create index reaction_of_user on reaction (user_id);

create table pin (
    kind smallint not null,
    room bigint not null,
    seq bigint not null,
    pinned_at bigint not null,
    pinned_by bigint not null,
    primary key (kind, room, seq),
    foreign key (kind, room, seq) references message on delete cascade
);
create index pin_newest on pin (kind, room, pinned_at, seq);

-- The bookmarks of users.
create table saved_message (
    id bigint generated always as identity primary key,
    user_id bigint not null,
    kind smallint not null,
    room bigint not null,
    seq bigint not null,
    saved_at bigint not null,
    constraint saved_once unique (user_id, kind, room, seq),
    foreign key (kind, room, seq) references message on delete cascade
);
create index saved_message_of_user on saved_message (user_id, id);
create index saved_message_of_message on saved_message (kind, room, seq);
