-- A time as the export of a user's data shows it, from milliseconds since 1970.
create function export_time(moment bigint) returns text language sql stable as $$
    select to_char(to_timestamp(moment / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- The latest export of each account: a copy of all its data. A row goes when its file expires.
create table export (
    account bigint primary key references account (id) on delete cascade,
    state text not null default 'pending' check (state in ('pending', 'ready', 'failed')),
    requested_at bigint not null,
    -- When the job looks at it next. While an instance works on it, this is the end of its lease.
    due_at bigint not null,
    -- Grows with each lease, so that an instance notices that it has lost its own.
    attempts int not null default 0,
    -- Of a ready export: its name in the file store, its size in bytes, and the end of its link.
    file text,
    size bigint,
    expires_at bigint
);
create index export_due on export (due_at) where state = 'pending';
create index export_by_file on export (file) where file is not null;
create index export_expiry on export (expires_at) where expires_at is not null;

-- The files of exports, from before they exist until they are removed. A file is removed once it is due: when its export
-- has expired, was replaced or deleted, or when a crash left the file without one.
create table export_file (
    name text primary key,
    account bigint,
    due_at bigint not null
);
create index export_file_due on export_file (due_at);
create index export_file_account on export_file (account);
