-- The pictures that belong to reports: the portrait of the reported user, or the cover of the reported workspace. Times are
-- milliseconds since 1970.
create table report_picture (
    workspace bigint not null,
    report bigint not null,
    -- The path at the service that owns the picture.
    path text not null,
    is_cover boolean not null,
    -- The name of the copy, known before the copy exists, so that a crash leaves none behind.
    name text not null,
    is_kept boolean not null default false,
    attempts integer not null default 0,
    -- When the picture is read next; null once the copy is kept or lost.
    due_at bigint,
    primary key (report)
);
create index report_picture_due on report_picture (due_at) where due_at is not null;
