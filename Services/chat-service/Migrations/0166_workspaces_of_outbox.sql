-- A row of a divided schema is beside the messages of its workspace. 0 stands for rows of a schema that is whole.
alter table outbox add column workspace bigint not null default 0;
