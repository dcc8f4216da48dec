-- Texts that users have begun to write: one a user, room and thread; thread 0 is the room itself. Times are milliseconds
-- since 1970. A cleared draft stays for a while as an empty text, so that an older one that arrives late cannot bring it
-- back.
create table draft (
    user_id bigint not null,
    kind smallint not null,
    room bigint not null,
    thread bigint not null,
    content text not null,
    written_at bigint not null,
    primary key (user_id, kind, room, thread)
);
create index draft_of_room on draft (kind, room);
