-- When the grace of users began that have left a workspace which requires a second factor, so that they get no new one by
-- coming back. A row goes with the workspace, with the rule and with the account. Times are milliseconds since 1970.
create table second_factor_grace (
    workspace bigint not null references workspace (id) on delete cascade,
    user_id bigint not null,
    begun_at bigint not null,
    primary key (workspace, user_id)
);
create index second_factor_grace_user on second_factor_grace (user_id);

-- The same time for a member that has come back; null for the others: their grace begins with their joining.
alter table member add column grace_from bigint;
