-- The members that are told by mail that their workspace requires a second factor. Times are milliseconds since 1970.
create table second_factor_notice (
    workspace bigint not null,
    user_id bigint not null,
    -- When the member needs a second factor.
    due_at bigint not null,
    made_at bigint not null,
    -- When auth-service is asked for the mail; while an instance does so, the end of its lease. Null once it has been asked:
    -- the row then stays for a day, in which the member gets no second mail.
    send_at bigint,
    primary key (workspace, user_id),
    foreign key (workspace, user_id) references member on delete cascade
);
create index second_factor_notice_waiting on second_factor_notice (send_at) where send_at is not null;
create index second_factor_notice_age on second_factor_notice (made_at) where send_at is null;
