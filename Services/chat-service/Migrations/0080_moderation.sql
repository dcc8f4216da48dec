-- Reports with copies of messages, the standing of members, and the words that workspaces filter. Times are
-- milliseconds since 1970.
create table report (
    id bigint generated always as identity primary key,
    workspace bigint not null,
    -- 1 message, 2 user, 3 workspace.
    type smallint not null,
    -- The reported user, or the author of the reported message; 0 for a workspace.
    subject bigint not null default 0,
    -- The reported message; 0 for a user and a workspace.
    kind smallint not null default 0,
    room bigint not null default 0,
    seq bigint not null default 0,
    reason text not null,
    text text not null,
    -- The names of the subject at the time of the report.
    subject_name text,
    subject_image text,
    -- Null once the account of the reporter has been deleted.
    reporter bigint,
    created_at bigint not null,
    -- Whether operators answer it, because the owner of the workspace is concerned.
    is_for_operators boolean not null,
    -- All three are null while the report is open. Operators have no number.
    action smallint,
    answered_at bigint,
    answered_by bigint
);
create unique index report_once on report (reporter, workspace, type, subject, kind, room, seq) where action is null;
create index report_open on report (workspace, id) where action is null;
create index report_answered on report (answered_at) where action is not null;
create index report_of_reporter on report (reporter, created_at);
create index report_of_subject on report (subject);

-- A reported message and those before it, as they were.
create table report_copy (
    report bigint not null references report on delete cascade,
    seq bigint not null,
    author bigint not null,
    nickname text not null,
    content text not null,
    files text[] not null,
    sent_at bigint not null,
    edited_at bigint,
    primary key (report, seq)
);

-- The standing of members of workspaces; a member without a row has a good one.
create table standing (
    workspace bigint not null,
    user_id bigint not null,
    warnings bigint not null default 0,
    warned_at bigint,
    muted_until bigint,
    is_suspended boolean not null default false,
    primary key (workspace, user_id)
);
create index standing_of_user on standing (user_id);

-- Words that a workspace refuses in messages or replaces by asterisks.
create table word_filter (
    workspace bigint not null,
    ordinal integer not null,
    word text not null,
    is_masked boolean not null,
    primary key (workspace, ordinal)
);
