-- Payments as their providers tell of them, who got what for them, and every wish to look at one.

create table payment.payment (
    id bigint generated always as identity primary key,
    provider text collate "C" not null,
    -- The provider's own name of it.
    reference text collate "C" not null,
    order_number text not null,
    item text not null,
    amount bigint not null check (amount >= 0),
    cancelled_amount bigint not null check (cancelled_amount >= 0),
    currency text not null,
    status text collate "C" not null check (status in ('open', 'paid', 'cancelled', 'failed')),
    paid_at timestamptz(3),
    -- All null while nobody has claimed it, then never changed.
    owner bigint references payment.account,
    coins bigint check (coins > 0),
    credited_at timestamptz(3),
    refunded bigint not null default 0,
    seen_at timestamptz(3) not null default now(),
    -- When the provider was last asked about it.
    checked_at timestamptz(3) not null default now(),
    constraint once_a_reference unique (provider, reference),
    constraint credited_whole check (num_nulls(owner, coins, credited_at) in (0, 3)),
    constraint refunded_of_credited check (refunded between 0 and coalesce(coins, 0))
);

create index payment_by_check on payment.payment (checked_at);
create index payment_unclaimed on payment.payment (seen_at) where owner is null;
create index payment_by_owner on payment.payment (owner) where owner is not null;

create function payment.check_payment() returns trigger language plpgsql as $$
begin
    if (new.id, new.provider, new.reference) is distinct from (old.id, old.provider, old.reference)
        or (old.owner is not null and (new.owner, new.coins, new.credited_at, new.amount, new.order_number)
            is distinct from (old.owner, old.coins, old.credited_at, old.amount, old.order_number))
        or new.refunded < old.refunded
    then
        raise exception using errcode = 'check_violation', constraint = 'payment_goes_forward',
            table = 'payment', message = 'a credited payment keeps its owner, order and amounts';
    end if;
    return new;
end $$;

create trigger goes_forward before update on payment.payment
    for each row execute function payment.check_payment();
create trigger append_only before delete on payment.payment
    for each row execute function payment.refuse_change();
create trigger never_emptied before truncate on payment.payment execute function payment.refuse_change();
alter table payment.payment enable always trigger goes_forward, enable always trigger append_only,
    enable always trigger never_emptied;

-- Recorded before a provider is asked; what a crash or an outage leaves open is asked again.
create table payment.attempt (
    id bigint generated always as identity primary key,
    -- Null while it is not known whose payment it is.
    provider text collate "C",
    reference text collate "C" not null,
    -- Who claims the payment under which order; both null for a webhook.
    user_id bigint,
    order_number text,
    tries integer not null default 0,
    made_at timestamptz(3) not null default now(),
    next_try_at timestamptz(3) not null,
    ended_at timestamptz(3),
    outcome text,
    constraint claimed_whole check (num_nulls(user_id, order_number) in (0, 2)),
    constraint ended_whole check (num_nulls(ended_at, outcome) in (0, 2))
);

create index attempt_open on payment.attempt (next_try_at) where ended_at is null;
create index attempt_open_by_user on payment.attempt (coalesce(user_id, 0)) where ended_at is null;
create index attempt_abandoned on payment.attempt (id) where outcome = 'abandoned';
create index attempt_ended on payment.attempt (ended_at) where ended_at is not null;
create unique index one_open_attempt
    on payment.attempt (reference, coalesce(user_id, 0), coalesce(order_number, ''), coalesce(provider, ''))
    where ended_at is null;

-- Which webhooks have come.
create table payment.webhook (
    provider text collate "C" not null,
    id text collate "C" not null,
    received_at timestamptz(3) not null default now(),
    primary key (provider, id)
);

create index webhook_by_age on payment.webhook (received_at);
