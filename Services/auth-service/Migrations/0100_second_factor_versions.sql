-- Counts the changes of the second factor of an account, so that other services can order them.
alter table account add column second_factor_version bigint not null default 0;
