-- The leases of background jobs on workspaces. Times are milliseconds since 1970; 0 is a lease that has been given back.
create table workspace_lease (
    workspace bigint not null,
    job text not null,
    until bigint not null,
    primary key (workspace, job)
);
