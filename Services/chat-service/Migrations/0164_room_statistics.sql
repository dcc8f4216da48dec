-- A room has one workspace. Without this the planner takes them for independent, and expects too few messages of a room.
create statistics message_in_room (dependencies) on workspace, kind, room from message;
analyze message;
