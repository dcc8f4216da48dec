-- Accounts. Times are milliseconds since 1970, as everywhere in the product.
create table account (
    id bigint generated always as identity primary key,
    email text not null,
    -- NFC, case-folded: what emails are compared by.
    email_key text not null,
    is_email_verified boolean not null default false,
    nickname text not null,
    phone text,
    profile_image text,
    password_hash text,
    provider text check (provider in ('kakao', 'apple')),
    provider_subject text,
    created_at bigint not null,
    -- Grows with every change that others see.
    version bigint not null default 1,
    constraint account_has_a_way_in check (password_hash is not null or provider_subject is not null),
    constraint account_provider_is_whole check ((provider is null) = (provider_subject is null))
);
create unique index account_email on account (email_key);
create unique index account_provider on account (provider, provider_subject) where provider is not null;
