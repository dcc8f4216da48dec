-- Mentions. A message lists the users that its text mentions, 0 for the whole room (`@channel`) and -1 for its present members
-- (`@here`). The table has a row for each of them.
alter table message
    add column mentions bigint[],
    add column is_scheduled boolean not null default false;

create table mention (
    kind smallint not null,
    room bigint not null,
    seq bigint not null,
    user_id bigint not null,
    primary key (kind, room, seq, user_id),
    foreign key (kind, room, seq) references message on delete cascade
);
create index mention_of_user on mention (user_id, kind, room, seq);
