-- The names that clients gave the calls of scheduled messages that were sent: a repeated call gets its reply, and schedules no second
-- message. The text and the files are those of the message itself. Times are milliseconds since 1970.
create table scheduled_sent (
    workspace bigint not null,
    user_id bigint not null,
    kind smallint not null,
    room bigint not null,
    client_id text not null,
    -- Of the scheduled message, by which its message has its own name.
    id bigint not null,
    send_at bigint not null,
    created_at bigint not null,
    sent_at bigint not null,
    primary key (user_id, workspace, kind, room, client_id)
);
create index scheduled_sent_of_room on scheduled_sent (kind, room);
