-- Rooms and their messages. A room is a channel (kind 1, numbered by workspace-service) or a DM (kind 2, numbered here).
-- Everything is keyed by room first. Times are milliseconds since 1970.
create table room (
    kind smallint not null,
    id bigint not null,
    workspace bigint not null,
    -- A channel's, as of a version of its workspace; null in a DM.
    name text,
    version bigint not null default 0,
    -- The seq and the time of the newest message; both only grow.
    last_seq bigint not null default 0,
    last_at bigint not null default 0,
    -- Nothing is taken any more.
    is_closed boolean not null default false,
    primary key (kind, id)
);
create index room_workspace on room (workspace);

create table message (
    kind smallint not null,
    room bigint not null,
    -- 1, 2, 3 … without a gap.
    seq bigint not null,
    id bigint generated always as identity,
    author bigint not null,
    session bigint not null,
    content text not null,
    files text[] not null,
    created_at bigint not null,
    -- What the author named it before it was sent, and the digest of what was sent under that name.
    client_id text,
    digest bytea,
    primary key (kind, room, seq)
);
create unique index message_client_id on message (kind, room, author, client_id) where client_id is not null;
create index message_created_at on message (kind, room, created_at);

create table dm (
    id bigint generated always as identity primary key,
    workspace bigint not null,
    low bigint not null,
    high bigint not null,
    created_at bigint not null,
    -- Where one of the two has left the workspace the history stays and nothing is added.
    low_has_left boolean not null default false,
    high_has_left boolean not null default false,
    is_open boolean generated always as (not low_has_left and not high_has_left) stored,
    constraint dm_of_two check (low < high),
    constraint dm_pair unique (workspace, low, high)
);
create index dm_low on dm (low, workspace);
create index dm_high on dm (high, workspace);

create table read_position (
    user_id bigint not null,
    kind smallint not null,
    room bigint not null,
    seq bigint not null,
    primary key (user_id, kind, room)
);

-- A file of a message, named in the store by `name`, which is the part of its path behind the last underscore.
create table file (
    name text primary key,
    folder text not null,
    kind smallint not null,
    room bigint not null,
    display_name text not null,
    size bigint not null
);
create index file_room on file (kind, room);

-- Who was taken out of a room, and behind which message.
create table removal (
    kind smallint not null,
    room bigint not null,
    user_id bigint not null,
    after_seq bigint not null,
    version bigint not null,
    primary key (kind, room, user_id)
);
