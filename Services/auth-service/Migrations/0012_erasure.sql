-- When the owner deleted the account. Its row stays without personal data, because messages name their author by its id.
alter table account add column deleted_at bigint;

-- Deleted accounts, until their last round of erasure is a month old.
create table erasure (
    account bigint primary key references account (id),
    requested_at bigint not null,
    deletes_messages boolean not null,
    -- Services erase in rounds, because some rows only show after the first one.
    round int not null default 1,
    -- When the job looks at it next.
    due_at bigint not null,
    attempts int not null default 0,
    -- When everything was erased, and when the last round was over.
    erased_at bigint,
    finished_at bigint
);
create index erasure_due on erasure (due_at) where finished_at is null;
create index erasure_finished on erasure (finished_at) where finished_at is not null;

-- The services that erase data of a deleted account, with the last round that each has finished.
create table erasure_part (
    account bigint not null references erasure (account) on delete cascade,
    part text not null,
    round int not null default 0,
    primary key (account, part)
);

-- Grants at providers that are to be revoked. A row is deleted once its grant is, or cannot be.
create table erasure_grant (
    account bigint not null references erasure (account) on delete cascade,
    provider text not null check (provider in ('kakao', 'apple')),
    subject text not null,
    -- Kakao's access token or Apple's authorization code, if the owner confirmed the deletion with one.
    token text,
    -- The id of our app that Apple's code is for.
    client text,
    primary key (account, provider, subject)
);

-- A row of `block` keeps `blocked` from reaching `account`.
create table block (
    account bigint not null references account (id) on delete cascade,
    blocked bigint not null references account (id) on delete cascade,
    created_at bigint not null,
    primary key (account, blocked)
);
create index block_blocked on block (blocked);
