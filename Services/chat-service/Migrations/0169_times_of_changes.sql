-- When a message last changed, in milliseconds since 1970: search tells how old an unindexed change is. 0 stands for changes by an earlier
-- release.
alter table message_change add column changed_at bigint not null default 0;
