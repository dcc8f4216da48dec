-- Messages that are to be sent later. A row is deleted once its message is sent. Times are milliseconds since 1970.
create table scheduled (
    id bigint generated always as identity primary key,
    user_id bigint not null,
    session bigint not null,
    workspace bigint not null,
    kind smallint not null,
    room bigint not null,
    content text not null,
    -- The name that the client gave the call that scheduled it.
    client_id text,
    send_at bigint not null,
    created_at bigint not null,
    -- When an instance may claim it: `send_at` at first, and the end of the lease while an instance sends it.
    due_at bigint not null,
    attempts integer not null default 0,
    -- The error for the author if it cannot be sent.
    failed_code text,
    failed_detail text
);
create index scheduled_due on scheduled (due_at) where failed_code is null;
create index scheduled_of_user on scheduled (user_id, send_at, id);
create index scheduled_of_room on scheduled (kind, room);
create unique index scheduled_client_id on scheduled (user_id, kind, room, client_id) where client_id is not null;
