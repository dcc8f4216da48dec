-- Second factors. The secret of an authenticator app is a keyed hash of the seed, so the table alone reveals none.
create table second_factor (
    account bigint primary key references account (id) on delete cascade,
    seed bytea not null,
    created_at bigint not null,
    -- When the first code of the app came back; null before.
    enabled_at bigint,
    -- The time step of the last code that was used. A code works once.
    last_step bigint not null default 0,
    -- The tries since a moment.
    tries int not null default 0,
    tries_since bigint not null default 0
);

-- Keyed hashes of recovery codes.
create table recovery_code (
    account bigint not null references second_factor (account) on delete cascade,
    digest bytea not null,
    used_at bigint,
    primary key (account, digest)
);

-- Sign-ins that wait for their code, by the hash of their ticket.
create table sign_in_ticket (
    digest bytea primary key,
    account bigint not null references account (id) on delete cascade,
    -- The version of the password that was given; null for a sign-in with a provider.
    credentials bigint,
    profile text not null,
    created_at bigint not null,
    expires_at bigint not null,
    tries int not null default 0
);
create index sign_in_ticket_account on sign_in_ticket (account);
create index sign_in_ticket_expiry on sign_in_ticket (expires_at);

-- Devices that need no code, by the hash of the token that they keep.
create table remembered_device (
    digest bytea primary key,
    account bigint not null references second_factor (account) on delete cascade,
    created_at bigint not null,
    expires_at bigint not null
);
create index remembered_device_account on remembered_device (account);
create index remembered_device_expiry on remembered_device (expires_at);
