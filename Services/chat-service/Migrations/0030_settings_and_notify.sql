-- The settings of users. A user without a row has the defaults.
create table user_settings (
    user_id bigint primary key,
    read_receipts boolean not null,
    presence boolean not null,
    typing boolean not null,
    -- Do-not-disturb hours: minutes since midnight in the zone, all three or none.
    quiet_from smallint,
    quiet_to smallint,
    quiet_zone text,
    keywords text[] not null,
    constraint quiet_hours_are_whole check (num_nulls(quiet_from, quiet_to, quiet_zone) in (0, 3))
);

-- Which messages of a room are pushed to a user: all (1), mentions (2) or none (3), the default is all. Times are
-- milliseconds since 1970; 0 for a room that is not muted.
create table room_notify (
    user_id bigint not null,
    kind smallint not null,
    room bigint not null,
    level smallint not null,
    muted_until bigint not null,
    primary key (user_id, kind, room)
);
create index room_notify_of_room on room_notify (kind, room);

-- Whether a moment is in the hours between two minutes of the day in a zone. The hours may pass midnight. A zone that a
-- later release of Postgres does not know has no such hours, so that one user's setting cannot fail the pushes of others.
create function is_quiet(moment bigint, quiet_from smallint, quiet_to smallint, zone text) returns boolean
language plpgsql stable as $$
declare
    minute integer;
begin
    if quiet_from is null then
        return false;
    end if;
    minute := extract(hour from to_timestamp(moment / 1000.0) at time zone zone) * 60
        + extract(minute from to_timestamp(moment / 1000.0) at time zone zone);
    if quiet_from < quiet_to then
        return minute >= quiet_from and minute < quiet_to;
    end if;
    return minute >= quiet_from or minute < quiet_to;
exception when invalid_parameter_value then
    return false;
end $$;
