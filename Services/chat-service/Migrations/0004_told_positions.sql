-- How far a session's history reply went, where Redis could not be told so: gateways ask for it before they send anything
-- again that a client may not get twice. Times are milliseconds since 1970.
create table told_position (
    session bigint not null,
    kind smallint not null,
    room bigint not null,
    seq bigint not null,
    told_at bigint not null,
    primary key (session, kind, room)
);
create index told_position_age on told_position (told_at);
