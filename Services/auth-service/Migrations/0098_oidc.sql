-- The users of OpenID Connect issuers by their subject, which is unique within its issuer.
create table oidc_identity (
    issuer text not null,
    subject text not null,
    account bigint not null references account (id) on delete cascade,
    created_at bigint not null,
    primary key (issuer, subject)
);
create index oidc_identity_account on oidc_identity (account);

-- Sign-ins that have been sent to their issuer, by the hash of their ticket. A row is used once.
create table oidc_sign_in (
    digest bytea primary key,
    -- The name of the issuer in the settings, which the reply must come from.
    issuer text not null,
    -- Hashes of values that come back: in the address of the reply, and in the identity token.
    state bytea not null,
    nonce bytea not null,
    -- The seed of the code verifier (PKCE).
    seed bytea not null,
    redirect text not null,
    profile text not null,
    expires_at bigint not null
);
create index oidc_sign_in_expiry on oidc_sign_in (expires_at);
