-- Every time becomes what it is in the other schemas: a bigint, milliseconds since 1970. The tables are rewritten under a
-- lock; triggers do not run and no value changes.
alter table payment.account
    alter column opened_at drop default,
    alter column opened_at type bigint using (extract(epoch from opened_at) * 1000)::bigint,
    alter column opened_at set default (extract(epoch from now()) * 1000)::bigint;

alter table payment.transaction
    alter column created_at drop default,
    alter column created_at type bigint using (extract(epoch from created_at) * 1000)::bigint,
    alter column created_at set default (extract(epoch from now()) * 1000)::bigint;

alter table payment.reserve
    alter column expires_at type bigint using (extract(epoch from expires_at) * 1000)::bigint,
    alter column uncollected_at type bigint using (extract(epoch from uncollected_at) * 1000)::bigint,
    alter column created_at drop default,
    alter column created_at type bigint using (extract(epoch from created_at) * 1000)::bigint,
    alter column created_at set default (extract(epoch from now()) * 1000)::bigint;

alter table payment.payment
    alter column paid_at type bigint using (extract(epoch from paid_at) * 1000)::bigint,
    alter column credited_at type bigint using (extract(epoch from credited_at) * 1000)::bigint,
    alter column seen_at drop default,
    alter column seen_at type bigint using (extract(epoch from seen_at) * 1000)::bigint,
    alter column seen_at set default (extract(epoch from now()) * 1000)::bigint,
    alter column checked_at drop default,
    alter column checked_at type bigint using (extract(epoch from checked_at) * 1000)::bigint,
    alter column checked_at set default (extract(epoch from now()) * 1000)::bigint;

alter table payment.attempt
    alter column made_at drop default,
    alter column made_at type bigint using (extract(epoch from made_at) * 1000)::bigint,
    alter column made_at set default (extract(epoch from now()) * 1000)::bigint,
    alter column next_try_at type bigint using (extract(epoch from next_try_at) * 1000)::bigint,
    alter column ended_at type bigint using (extract(epoch from ended_at) * 1000)::bigint;

alter table payment.webhook
    alter column received_at drop default,
    alter column received_at type bigint using (extract(epoch from received_at) * 1000)::bigint,
    alter column received_at set default (extract(epoch from now()) * 1000)::bigint;

alter table payment.difference
    alter column first_seen_at drop default,
    alter column first_seen_at type bigint using (extract(epoch from first_seen_at) * 1000)::bigint,
    alter column first_seen_at set default (extract(epoch from now()) * 1000)::bigint,
    alter column last_seen_at drop default,
    alter column last_seen_at type bigint using (extract(epoch from last_seen_at) * 1000)::bigint,
    alter column last_seen_at set default (extract(epoch from now()) * 1000)::bigint,
    alter column resolved_at type bigint using (extract(epoch from resolved_at) * 1000)::bigint;

alter table payment.schedule
    alter column due_at drop default,
    alter column due_at type bigint using (extract(epoch from due_at) * 1000)::bigint,
    alter column due_at set default (extract(epoch from now()) * 1000)::bigint,
    alter column finished_at type bigint using (extract(epoch from finished_at) * 1000)::bigint;
