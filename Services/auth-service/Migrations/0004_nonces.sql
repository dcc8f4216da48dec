-- Nonces of identity tokens that have let somebody in: a token with one of them does not do so again.
create table used_nonce (
    digest bytea primary key,
    -- When no token with it is valid any more.
    expires_at bigint not null
);
create index used_nonce_expiry on used_nonce (expires_at);
