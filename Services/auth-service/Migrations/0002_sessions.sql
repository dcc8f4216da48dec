create table session (
    id bigint generated always as identity primary key,
    account bigint not null references account (id) on delete cascade,
    -- The client profile that it was opened under.
    profile text not null,
    created_at bigint not null,
    expires_at bigint not null,
    revoked_at bigint
);
create index session_account on session (account) where revoked_at is null;
create index session_revoked on session (revoked_at) where revoked_at is not null;
create index session_expiry on session (expires_at);

-- A session's refresh tokens; a fixed one is never used up, a rotating one is followed by the next.
create table refresh_token (
    hash bytea primary key,
    session bigint not null references session (id) on delete cascade,
    created_at bigint not null,
    used_at bigint
);
create index refresh_token_session on refresh_token (session);

-- Where pushes go. A token belongs to the last session that named it.
create table device (
    token text primary key,
    account bigint not null references account (id) on delete cascade,
    session bigint not null references session (id) on delete cascade,
    updated_at bigint not null
);
create index device_account on device (account);
create index device_session on device (session);

-- The keys that sign tokens: published before they sign, and kept until the last token they signed has expired.
create table signing_key (
    id text primary key,
    private_key text not null,
    created_at bigint not null
);
