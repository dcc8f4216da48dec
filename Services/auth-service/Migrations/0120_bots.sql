-- Accounts that are programs of a workspace. The new columns are null for people, so no table is rewritten.
alter table account
    add column bot_workspace bigint,
    -- The name that another service gave the bot.
    add column bot_key text;
create unique index account_bot on account (bot_workspace, bot_key) where bot_workspace is not null;
