-- Which messages have files, for those who look for the message of a file.
create index message_with_files on message (kind, room, created_at) where files <> '{}';
