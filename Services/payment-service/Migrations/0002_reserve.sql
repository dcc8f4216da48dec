-- Coins held for a purchase under way, by the key of who holds them.
create table payment.reserve (
    key text collate "C" primary key check (length(key) between 1 and 200),
    user_id bigint not null references payment.account,
    amount bigint not null check (amount > 0),
    reason text not null check (length(reason) <= 200),
    state text collate "C" not null check (state in ('reserved', 'captured', 'released', 'expired')),
    -- The wallet's, after the first call under this key: what a repeated call is told.
    balance bigint not null,
    expires_at timestamptz(3) not null,
    -- When a capture last failed for want of coins; null once they are there.
    uncollected_at timestamptz(3),
    created_at timestamptz(3) not null default now()
);

create index reserve_open on payment.reserve (expires_at) where state = 'reserved';
create index reserve_uncollected on payment.reserve (uncollected_at) where uncollected_at is not null;

create function payment.check_reserve() returns trigger language plpgsql as $$
begin
    if (new.key, new.user_id, new.amount) is distinct from (old.key, old.user_id, old.amount)
        or not (new.state = old.state or old.state = 'reserved' or (old.state = 'expired' and new.state in ('captured', 'released')))
    then
        raise exception using errcode = 'check_violation', constraint = 'reserve_goes_forward',
            table = 'reserve', message = 'a reserve keeps its key, user and amount, and its state goes forward';
    end if;
    return new;
end $$;

create trigger goes_forward before update on payment.reserve
    for each row execute function payment.check_reserve();
create trigger append_only before delete on payment.reserve
    for each row execute function payment.refuse_change();
create trigger never_emptied before truncate on payment.reserve execute function payment.refuse_change();
alter table payment.reserve enable always trigger goes_forward, enable always trigger append_only,
    enable always trigger never_emptied;
