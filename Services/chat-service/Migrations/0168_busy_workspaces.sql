-- The workspaces that may have some work in the background, so that the work of the others goes on while a part of a divided schema is out
-- of reach. The table is not divided: its column has another name than those of tables that are.
create table busy_workspace (
    work text not null,
    id bigint not null,
    primary key (work, id)
);
