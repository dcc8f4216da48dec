-- The end of a send finds the old names of its author by their times, without reading those that stay.
create index scheduled_sent_by_time on scheduled_sent (user_id, workspace, sent_at);
