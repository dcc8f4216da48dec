-- When an operator disabled the account; null for an account that may sign in.
alter table account add column disabled_at bigint;
