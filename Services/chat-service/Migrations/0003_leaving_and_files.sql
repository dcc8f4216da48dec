-- The version of the workspace at which each of the two last left or came back: what is told late is told for nothing.
alter table dm
    add column low_version bigint not null default 0,
    add column high_version bigint not null default 0;

-- A file is noted before it is stored and belongs to no message until one is committed. `is_sent` is false until that has
-- been looked at.
alter table file
    add column noted_at bigint not null default 0,
    add column is_sent boolean not null default true;
create index file_unsent on file (noted_at) where not is_sent;
