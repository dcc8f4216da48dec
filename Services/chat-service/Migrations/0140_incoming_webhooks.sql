-- Incoming webhooks of channels. Times are milliseconds since 1970.
create table incoming_webhook (
    id bigint primary key,
    workspace bigint not null,
    channel bigint not null,
    -- The channel's name, as of a version of its workspace.
    channel_name text not null,
    channel_version bigint not null,
    name text not null,
    -- The account that its messages have as their author.
    bot bigint not null,
    -- The digest of the secret in its address.
    secret bytea not null,
    created_by bigint not null,
    created_at bigint not null,
    rotated_at bigint
);
create unique index incoming_webhook_secret on incoming_webhook (secret);
create index incoming_webhook_channel on incoming_webhook (channel, id);
create index incoming_webhook_workspace on incoming_webhook (workspace);
-- The id names the bot and the entry of the audit log before there is a row.
create sequence incoming_webhook_id owned by incoming_webhook.id;
