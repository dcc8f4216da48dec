-- Lists are read page by page, in these orders.
create index member_order on member (workspace, joined_at, user_id);
create index channel_order on channel (workspace, created_at, id);
create index channel_member_order on channel_member (channel, joined_at, user_id);
