-- Pushes that are to be handed over: a row a message and device, so that a device is told of a message once. Times are
-- milliseconds since 1970.
create table push (
    kind smallint not null,
    room bigint not null,
    seq bigint not null,
    device text not null,
    user_id bigint not null,
    -- What the device is shown and told, as JSON.
    body text not null,
    attempts integer not null default 0,
    due_at bigint not null,
    created_at bigint not null,
    -- Handed over, or given up.
    done_at bigint,
    primary key (kind, room, seq, device)
);
create index push_due on push (due_at) where done_at is null;
create index push_done on push (done_at) where done_at is not null;
