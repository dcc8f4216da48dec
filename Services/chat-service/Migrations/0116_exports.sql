-- A time as the export of a user's data shows it, from milliseconds since 1970.
create function export_time(moment bigint) returns text language sql stable as $$
    select to_char(to_timestamp(moment / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- A room's key, such as `channel-7`.
create function export_room(kind smallint, room bigint) returns text language sql immutable as $$
    select case kind when 1 then 'channel-' else 'dm-' end || room
$$;
