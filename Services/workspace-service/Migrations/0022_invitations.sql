-- Ways into a workspace. A link is computed from its seed with a key that only the services have, so this table opens
-- nothing to its reader. The check on uses holds in any case.
create table invitation (
    id bigint generated always as identity primary key,
    workspace bigint not null references workspace (id) on delete cascade,
    kind text not null check (kind in ('link', 'mail')),
    seed bytea not null,
    token_hash bytea not null unique,
    role text not null check (role in ('admin', 'member', 'guest')),
    -- Further channels that the new member is put in.
    channels bigint[] not null default '{}',
    -- The address of a mail; null once the invitation is used up or revoked.
    recipient text,
    language text,
    -- Null once the account is deleted. Such an invitation admits nobody.
    created_by bigint,
    created_at bigint not null,
    expires_at bigint not null,
    -- Null for any number.
    max_uses int check (max_uses > 0),
    uses int not null default 0,
    revoked_at bigint,
    constraint invitation_is_not_overused check (uses <= max_uses)
);
create index invitation_order on invitation (workspace, created_at, id);
create index invitation_creator on invitation (created_by);
create index invitation_end on invitation (expires_at);

-- Users that ask to be let in.
create table join_request (
    workspace bigint not null references workspace (id) on delete cascade,
    user_id bigint not null,
    text text not null,
    created_at bigint not null,
    -- Null while nobody has decided.
    declined_at bigint,
    primary key (workspace, user_id)
);
create index join_request_order on join_request (workspace, created_at, user_id) where declined_at is null;
create index join_request_user on join_request (user_id);

alter table workspace
    -- Whether anybody may ask to be let in.
    add column accepts_requests boolean not null default false;
