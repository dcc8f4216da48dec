-- A room is found by its workspace, kind and id. Before the tables have statistics the planner may choose the index by workspace,
-- which read all rooms of the workspace, and the dead versions of each, while it had no other columns.
create index room_of_workspace on room (workspace, kind, id);
drop index room_workspace;
