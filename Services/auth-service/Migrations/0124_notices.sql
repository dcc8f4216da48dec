-- Notices to addresses that nobody has verified, for a day. Anybody can join with the address of somebody else, and cause mails to it.
create table mail_notice (
    -- A digest of the address.
    address text not null,
    sent_at bigint not null
);
create index mail_notice_of_address on mail_notice (address, sent_at);
create index mail_notice_oldest on mail_notice (sent_at);
