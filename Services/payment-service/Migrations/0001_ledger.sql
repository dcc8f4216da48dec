-- The ledger: double entry and append-only. A transaction moves coins between the books of one user; its entries sum to
-- zero, and no balance goes below zero. All of it holds for any client of this database, whatever code it runs.

-- Who writes entries of a user holds this row's lock until the commit: one user's transactions run one after the
-- other, those of distinct users never wait for each other.
create table payment.account (
    user_id bigint primary key check (user_id > 0),
    opened_at timestamptz(3) not null default now()
);

create table payment.transaction (
    id bigint generated always as identity primary key,
    user_id bigint not null references payment.account,
    kind text collate "C" not null
        check (kind in ('grant', 'purchase', 'refund', 'reserve', 'capture', 'release', 'expiry', 'spend')),
    -- What it is about: a payment's id, a reserve's key. Once a kind, so that nothing is credited or charged twice.
    subject text collate "C" not null check (length(subject) between 1 and 200),
    -- The database transaction that made it: only that one adds entries.
    made_in xid8 not null,
    created_at timestamptz(3) not null default now(),
    constraint once_a_subject unique (kind, subject)
);

-- wallet     coins that the user can spend
-- reserved   coins held for a purchase under way
-- revenue    coins spent
-- purchases  coins credited for payments: their source
-- grants     coins given: their source
-- losses     coins spent before their payment was taken back
--
-- The last three are filled by giving: their balance is what they gave, and falls with a positive amount.
create table payment.entry (
    transaction_id bigint not null references payment.transaction,
    book text collate "C" not null
        check (book in ('wallet', 'reserved', 'revenue', 'purchases', 'grants', 'losses')),
    user_id bigint not null,
    -- 1, 2, 3 … in each book of a user.
    version bigint not null,
    amount bigint not null check (amount <> 0 and abs(amount) <= 1000000000000),
    -- After this entry.
    balance bigint not null constraint no_balance_below_zero check (balance >= 0),
    primary key (transaction_id, book),
    constraint one_line_of_versions unique (user_id, book, version)
);

create function payment.refuse_change() returns trigger language plpgsql as $$
begin
    raise exception using errcode = 'integrity_constraint_violation', constraint = 'append_only',
        table = tg_table_name, message = format('%s is append-only', tg_table_name);
end $$;

create function payment.stamp_transaction() returns trigger language plpgsql as $$
begin
    new.made_in := pg_current_xact_id();
    return new;
end $$;

-- Version and balance are never the client's to say: they continue the book's last entry, read under the lock.
create function payment.continue_book() returns trigger language plpgsql as $$
declare
    last_version bigint;
    last_balance bigint;
begin
    perform from payment.account where user_id = new.user_id for no key update;
    perform from payment.transaction
        where id = new.transaction_id and user_id = new.user_id and made_in = pg_current_xact_id();
    if not found then
        raise exception using errcode = 'integrity_constraint_violation', constraint = 'made_with_its_transaction',
            table = 'entry', message = 'an entry belongs to a transaction of its user that is being made';
    end if;
    select version, balance into last_version, last_balance from payment.entry
        where user_id = new.user_id and book = new.book order by version desc limit 1;
    new.version := coalesce(last_version, 0) + 1;
    new.balance := coalesce(last_balance, 0)
        + case when new.book in ('purchases', 'grants', 'losses') then -new.amount else new.amount end;
    return new;
end $$;

create function payment.check_sum() returns trigger language plpgsql as $$
begin
    if (select sum(amount) from payment.entry where transaction_id = new.transaction_id) <> 0 then
        raise exception using errcode = 'check_violation', constraint = 'transactions_sum_to_zero',
            table = 'entry', message = 'the entries of a transaction sum to zero';
    end if;
    return null;
end $$;

create trigger append_only before update or delete on payment.account
    for each row execute function payment.refuse_change();
create trigger append_only before update or delete on payment.transaction
    for each row execute function payment.refuse_change();
create trigger append_only before update or delete on payment.entry
    for each row execute function payment.refuse_change();
create trigger never_emptied before truncate on payment.account execute function payment.refuse_change();
create trigger never_emptied before truncate on payment.transaction execute function payment.refuse_change();
create trigger never_emptied before truncate on payment.entry execute function payment.refuse_change();
create trigger stamp before insert on payment.transaction
    for each row execute function payment.stamp_transaction();
create trigger continue_book before insert on payment.entry
    for each row execute function payment.continue_book();
create constraint trigger sum_to_zero after insert on payment.entry deferrable initially deferred
    for each row execute function payment.check_sum();

-- "Always": not even a session that plays a replica passes them by.
alter table payment.account enable always trigger append_only, enable always trigger never_emptied;
alter table payment.transaction enable always trigger append_only, enable always trigger never_emptied,
    enable always trigger stamp;
alter table payment.entry enable always trigger append_only, enable always trigger never_emptied,
    enable always trigger continue_book, enable always trigger sum_to_zero;

-- Where every book of every user stands.
create view payment.balance as
    select distinct on (user_id, book) user_id, book, version, balance
    from payment.entry order by user_id, book, version desc;
