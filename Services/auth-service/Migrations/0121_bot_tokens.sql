-- The tokens of bots. A token has a session, whose revocation ends it in every service. The table is new, so nothing waits
-- for its lock.
create table bot_token (
    id bigint generated always as identity primary key,
    account bigint not null references account (id) on delete cascade,
    session bigint not null references session (id) on delete cascade,
    -- The digest of the secret.
    hash bytea not null unique,
    -- The first characters of the token.
    prefix text not null,
    name text not null,
    -- Names, separated by spaces.
    scopes text not null,
    -- The user that made it; null once their account is deleted.
    created_by bigint,
    created_at bigint not null,
    last_used_at bigint
);
create index bot_token_account on bot_token (account, id);
create index bot_token_session on bot_token (session);
create index bot_token_maker on bot_token (created_by) where created_by is not null;
