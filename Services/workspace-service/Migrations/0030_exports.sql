-- A time as the export of a user's data shows it, from milliseconds since 1970.
create function export_time(moment bigint) returns text language sql stable as $$
    select to_char(to_timestamp(moment / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
