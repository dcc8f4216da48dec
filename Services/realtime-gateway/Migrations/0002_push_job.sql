-- Jobs that were taken to their end: who was away then is not asked again. Times are milliseconds since 1970.
create table push_job (
    kind smallint not null,
    room bigint not null,
    seq bigint not null,
    taken_at bigint not null,
    primary key (kind, room, seq)
);
create index push_job_taken on push_job (taken_at);
