-- Orders that the server made for a user. A payment whose id a client can guess is credited only to the user of its order.
create table payment.purchase_order (
    -- The order number, and the id of its payment.
    number text collate "C" primary key check (length(number) between 1 and 120),
    user_id bigint not null,
    item text not null,
    made_at bigint not null default (extract(epoch from now()) * 1000)::bigint
);
create index purchase_order_by_user on payment.purchase_order (user_id, made_at);
create index purchase_order_by_age on payment.purchase_order (made_at);

-- Lookups of payments that no provider knows, which are limited for each user.
create index attempt_unknown on payment.attempt (user_id, ended_at) where outcome = 'unknown';
