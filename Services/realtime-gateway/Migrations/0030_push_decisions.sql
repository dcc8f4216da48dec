-- Why each member of a room was pushed a message or not: a row for each page of members that a job went through, in the
-- order of their ids. `after_user` is the user before the page, 0 for the first. A message that was pushed to nobody for one
-- reason has a row with user 0. Times are milliseconds since 1970.
create table push_decision (
    kind smallint not null,
    room bigint not null,
    seq bigint not null,
    after_user bigint not null,
    decided_at bigint not null,
    users bigint[] not null,
    reasons text[] not null,
    primary key (kind, room, seq, after_user)
);
create index push_decision_age on push_decision (decided_at);

-- The badge that the device shows; null for a device of an app without the native API.
alter table push
    add column badge integer,
-- Its end, once it is done.
    add column outcome text;
