-- Codes that were sent by mail. A code is a keyed hash of its row and a secret of the services, so the table alone reveals
-- none. Rows stay for an hour, because they limit the number of mails.
create table mail_code (
    id bigint generated always as identity primary key,
    purpose text not null check (purpose in ('verification', 'address', 'reset')),
    -- The key of the address that the code is sent to.
    address text not null,
    -- The account that asked for it; null for a reset, which needs no sign-in.
    account bigint references account (id) on delete cascade,
    seed bytea not null,
    created_at bigint not null,
    expires_at bigint not null,
    tries int not null default 0,
    used_at bigint
);
create index mail_code_address on mail_code (address, created_at);
create index mail_code_account on mail_code (account, created_at);
create index mail_code_created on mail_code (created_at);

-- The code that a mail brings.
alter table mail add column code bigint references mail_code (id) on delete cascade;
create index mail_of_code on mail (code);

-- Grows when a password changes, so that a login with the old password opens no session afterwards.
alter table account add column credentials bigint not null default 0;

-- The apps and networks that an account was used with, as keyed hashes. A sign-in with another one is a new device.
create table known_device (
    account bigint not null references account (id) on delete cascade,
    digest bytea not null,
    seen_at bigint not null,
    primary key (account, digest)
);
create index known_device_seen on known_device (seen_at);
