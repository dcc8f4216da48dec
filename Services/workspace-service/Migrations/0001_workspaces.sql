-- Workspaces and their channels. Times are milliseconds since 1970. Each change within a workspace first raises the
-- workspace's version, which also puts the changes one after the other.
create table workspace (
    id bigint generated always as identity primary key,
    -- Made by the system and entered by everybody of an API key; nobody owns it.
    slug text unique,
    name text not null,
    -- NFC, case-folded: what names are compared by.
    name_key text not null unique,
    description text not null,
    image text not null,
    owner bigint,
    created_at bigint not null,
    version bigint not null default 1,
    constraint workspace_has_owner check (owner is not null or slug is not null)
);

create index workspace_image on workspace (image);

create table member (
    workspace bigint not null references workspace (id) on delete cascade,
    user_id bigint not null,
    joined_at bigint not null,
    primary key (workspace, user_id)
);
create index member_user on member (user_id, workspace);
-- An owner is a member, whatever happens at the same time.
alter table workspace add constraint workspace_owner_is_member
    foreign key (id, owner) references member (workspace, user_id) deferrable initially deferred;

create table channel (
    id bigint generated always as identity primary key,
    workspace bigint not null references workspace (id) on delete cascade,
    name text not null,
    name_key text not null,
    description text,
    image text,
    owner bigint,
    is_default boolean not null default false,
    created_at bigint not null,
    constraint channel_name unique (workspace, name_key),
    constraint channel_of_workspace unique (id, workspace)
);
create index channel_image on channel (image) where image is not null;
create unique index channel_default on channel (workspace) where is_default;

create table channel_member (
    channel bigint not null,
    user_id bigint not null,
    workspace bigint not null,
    joined_at bigint not null,
    primary key (channel, user_id),
    foreign key (channel, workspace) references channel (id, workspace) on delete cascade,
    -- Who leaves the workspace leaves its channels.
    foreign key (workspace, user_id) references member (workspace, user_id) on delete cascade
);
create index channel_member_user on channel_member (user_id, workspace);
alter table channel add constraint channel_owner_is_member
    foreign key (id, owner) references channel_member (channel, user_id) deferrable initially deferred;
