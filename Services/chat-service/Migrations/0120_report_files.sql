-- Whether the removal of a file has begun. No report can hold it from then on.
alter table file add column is_removed boolean not null default false;

-- Files of reported messages. Their content stays in the file store until the report is erased, even if the message is
-- deleted before.
create table report_file (
    report bigint not null references report on delete cascade,
    name text not null,
    folder text not null,
    display_name text not null,
    size bigint not null,
    primary key (report, name)
);
create index report_file_name on report_file (name);
