-- Outgoing webhooks: subscriptions, and the events on their way to receivers. Times are milliseconds since 1970.
create table webhook_subscription (
    id bigint primary key,
    workspace bigint not null,
    url text not null,
    events text[] not null,
    -- Only events of these channels; empty for all.
    channels bigint[] not null,
    -- The secret is computed from it, with a key that is not in the database. The old one also signs until its time.
    seed bytea not null,
    old_seed bytea,
    old_seed_until bigint,
    created_by bigint not null,
    created_at bigint not null,
    is_on boolean not null default true,
    -- Why and when it was switched off by itself; null otherwise.
    off_reason text,
    off_at bigint,
    -- When the first of the attempts failed since which none has succeeded.
    failing_since bigint
);
create index webhook_subscription_workspace on webhook_subscription (workspace, id);
create sequence webhook_subscription_id owned by webhook_subscription.id;

-- A queue for each subscription and channel, so that one channel waits for no other. Channel 0 has the events of members and
-- channels.
create table webhook_queue (
    subscription bigint not null references webhook_subscription (id) on delete cascade,
    room bigint not null,
    -- The messages and changes that have been put into the queue.
    seq bigint not null,
    rev bigint not null,
    -- When the first event is sent, or the end of a lease; null while nothing waits.
    due_at bigint,
    attempts bigint not null default 0,
    -- Grows with each addition, so that an addition during the last send is noticed.
    additions bigint not null default 0,
    primary key (subscription, room)
);
create index webhook_queue_due on webhook_queue (due_at) where due_at is not null;
create index webhook_queue_of_subscription on webhook_queue (subscription, due_at) where due_at is not null;

create table webhook_delivery (
    id bigint generated always as identity primary key,
    subscription bigint not null references webhook_subscription (id) on delete cascade,
    room bigint not null,
    event text not null,
    -- The message; null for events of members and channels.
    seq bigint,
    -- Further values as JSON; no text of a message.
    detail text,
    -- Makes an event of a fact unique.
    key text,
    created_at bigint not null,
    first_tried_at bigint,
    tried_at bigint,
    attempts bigint not null default 0,
    -- 0 waits, 1 is delivered, 2 has failed.
    state smallint not null default 0,
    -- Of the last attempt.
    status bigint,
    error text
);
create unique index webhook_delivery_key on webhook_delivery (subscription, key) where key is not null;
create index webhook_delivery_waiting on webhook_delivery (subscription, room, id) where state = 0;
create index webhook_delivery_list on webhook_delivery (subscription, id);
create index webhook_delivery_age on webhook_delivery (created_at);

-- Reactions that came and went, by the revision that they made; only for workspaces that are told of them.
create table webhook_reaction (
    room bigint not null,
    rev bigint not null,
    seq bigint not null,
    emoji text not null,
    user_id bigint not null,
    is_added boolean not null,
    reacted_at bigint not null
);
create index webhook_reaction_rev on webhook_reaction (room, rev);
create index webhook_reaction_age on webhook_reaction (reacted_at);
create index webhook_reaction_user on webhook_reaction (user_id);
