-- What does not agree, or did not: ours with the provider's, the ledger with its own sums.
create table payment.difference (
    kind text collate "C" not null,
    subject text collate "C" not null,
    ours text not null,
    theirs text not null,
    first_seen_at timestamptz(3) not null default now(),
    last_seen_at timestamptz(3) not null default now(),
    -- When a run did not find it any more.
    resolved_at timestamptz(3),
    primary key (kind, subject)
);

create index difference_open on payment.difference (kind) where resolved_at is null;

-- When work that one instance does for all is due again.
create table payment.schedule (
    work text collate "C" primary key,
    due_at timestamptz(3) not null default now(),
    finished_at timestamptz(3)
);

insert into payment.schedule (work) values ('reconciliation');
