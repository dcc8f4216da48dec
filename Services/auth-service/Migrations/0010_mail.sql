alter table account
    -- The language of the mails to the account; null for the default of the deployment.
    add column language text check (language in ('ko', 'en')),
    -- When a mail server last refused the account's address for good; null if it accepts mails.
    add column mail_bounced_at bigint;

-- Mails that wait to be sent. A row is deleted once its mail is accepted, refused for good or out of date.
create table mail (
    id bigint generated always as identity primary key,
    -- The account that the mail is about; null if the sender of the call is not known.
    account bigint references account (id) on delete cascade,
    recipient text not null,
    template text not null,
    -- The language if the account has none.
    language text check (language in ('ko', 'en')),
    -- A value for the template, such as the name of an app.
    detail text not null default '',
    created_at bigint not null,
    -- When it is sent, or sent again. While an instance sends it, this is the end of its lease.
    due_at bigint not null,
    expires_at bigint not null,
    attempts int not null default 0
);
create index mail_due on mail (due_at);
create index mail_account on mail (account);
