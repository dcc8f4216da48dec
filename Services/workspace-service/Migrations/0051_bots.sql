-- The bots that owners and admins have made. Their accounts and tokens are auth-service's. The table is new, so nothing waits
-- for its lock.
create table bot (
    workspace bigint not null references workspace (id) on delete cascade,
    user_id bigint not null,
    -- Null once the account of the maker is deleted.
    created_by bigint,
    created_at bigint not null,
    primary key (workspace, user_id)
);
create index bot_maker on bot (created_by) where created_by is not null;
