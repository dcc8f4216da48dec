-- The bytes of all files of a user (kind 1) and of a workspace (kind 2).
create table storage (
    kind smallint not null,
    id bigint not null,
    bytes bigint not null,
    primary key (kind, id)
);
-- The totals that a file counts in. The author of an older file may be unknown.
alter table file
    add column author bigint,
    add column workspace bigint;
update file set workspace = room.workspace from room where room.kind = file.kind and room.id = file.room;
update file set author = message.author from message, unnest(message.files) as path
where message.files <> '{}' and message.kind = file.kind and message.room = file.room
    and file.name = substring(path from '[^_]*$');
insert into storage
    select 1, author, sum(size) from file where author is not null group by author
    union all
    select 2, workspace, sum(size) from file where workspace is not null group by workspace;
