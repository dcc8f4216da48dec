-- Who erases a room looks for its read positions by the room; the primary key begins with the user.
create index read_position_of_room on read_position (kind, room);
