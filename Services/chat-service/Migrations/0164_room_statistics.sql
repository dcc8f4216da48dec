-- A room has one workspace. Without this the planner takes them for independent, and expects too few messages of a room.
-- The filling has changed all rows, so vacuums are at work. They give way to a lock that is waited for during a second; calls need
-- not wait for it.
set local lock_timeout = '10s';
create statistics message_in_room (dependencies) on workspace, kind, room from message;
analyze message;
-- So that the planner knows the workspaces of these rows at once, too.
analyze read_position, message_change, reaction, reply, thread, thread_follower, mention, file;
