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
    -- Who vouched for the account when it was made; null for one with a password.
    provider text check (provider in ('kakao', 'apple')),
    created_at bigint not null,
    -- Grows with every change that others see.
    version bigint not null default 1
);
create unique index account_email on account (email_key);

-- Whom a provider means by a subject. An account may have several.
create table identity (
    provider text not null check (provider in ('kakao', 'apple')),
    subject text not null,
    account bigint not null references account (id) on delete cascade,
    created_at bigint not null,
    primary key (provider, subject)
);
create index identity_account on identity (account);
