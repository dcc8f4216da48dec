import Postgres
import ServiceKit

extension ExportStore {
    /// The tables with an index by user. Their keys are arrays, so that each order is one expression.
    static let sections = [
        ExportSection(
            "settings",
            .read(
                "exported settings",
                """
                select '1', json_build_object(
                    'readReceipts', read_receipts, 'presence', presence, 'typing', typing, 'doNotDisturb',
                    case when quiet_from is not null then
                        json_build_object('fromMinute', quiet_from, 'toMinute', quiet_to, 'zone', quiet_zone)
                    end, 'keywords', keywords)::text, null::text
                from user_settings where user_id = $1 and $2::text = '' limit $3
                """)),
        ExportSection(
            "notifications",
            .read(
                "exported levels",
                """
                select array[kind, room]::bigint[]::text, json_build_object(
                    'room', export_room(kind, room), 'level', (array['all', 'mentions', 'none'])[level],
                    'mutedUntil', case when muted_until > 0 then export_time(muted_until) end)::text, null::text
                from room_notify
                where user_id = $1 and array[kind, room]::bigint[] > coalesce(nullif($2::text, ''), '{}')::bigint[]
                order by array[kind, room]::bigint[] limit $3
                """)),
        ExportSection(
            "drafts",
            .read(
                "exported drafts",
                """
                select array[kind, room, thread]::bigint[]::text, json_build_object(
                    'room', export_room(kind, room), 'thread', nullif(thread, 0), 'content', content,
                    'writtenAt', export_time(written_at))::text, null::text
                from draft
                where user_id = $1
                    and array[kind, room, thread]::bigint[] > coalesce(nullif($2::text, ''), '{}')::bigint[]
                order by array[kind, room, thread]::bigint[] limit $3
                """), rows: 50),
        ExportSection(
            "scheduled",
            .read(
                "exported scheduled messages",
                """
                select id::text, json_build_object(
                    'id', id::text, 'room', export_room(kind, room), 'content', content, 'files', files, 'thread', thread,
                    'at', export_time(send_at), 'createdAt', export_time(created_at), 'failure', failed_detail)::text,
                    null::text
                from scheduled
                where user_id = $1 and id > coalesce(nullif($2::text, ''), '0')::bigint order by scheduled.id limit $3
                """), rows: 50),
        ExportSection(
            "saved",
            .read(
                "exported bookmarks",
                """
                select id::text, json_build_object(
                    'room', export_room(kind, room), 'seq', seq, 'savedAt', export_time(saved_at))::text, null::text
                from saved_message
                where user_id = $1 and id > coalesce(nullif($2::text, ''), '0')::bigint order by saved_message.id limit $3
                """)),
        ExportSection(
            "readMarkers",
            .read(
                "exported read markers",
                """
                select array[kind, room]::bigint[]::text,
                    json_build_object('room', export_room(kind, room), 'seq', seq)::text, null::text
                from read_position
                where user_id = $1 and array[kind, room]::bigint[] > coalesce(nullif($2::text, ''), '{}')::bigint[]
                order by array[kind, room]::bigint[] limit $3
                """)),
        ExportSection(
            "reactions",
            .read(
                "exported reactions",
                """
                select array[kind::text, room::text, seq::text, emoji]::text, json_build_object(
                    'room', export_room(kind, room), 'seq', seq, 'emoji', emoji, 'at', export_time(reacted_at))::text,
                    null::text
                from reaction
                where user_id = $1 and array[kind::text, room::text, seq::text, emoji]
                    > coalesce(nullif($2::text, ''), '{}')::text[]
                order by array[kind::text, room::text, seq::text, emoji] limit $3
                """)),
        ExportSection(
            "mentions",
            .read(
                "exported mentions",
                """
                select array[kind, room, seq]::bigint[]::text,
                    json_build_object('room', export_room(kind, room), 'seq', seq)::text, null::text
                from mention
                where user_id = $1 and (kind, room, seq) > (
                    coalesce((coalesce(nullif($2::text, ''), '{}')::bigint[])[1], 0),
                    coalesce((coalesce(nullif($2::text, ''), '{}')::bigint[])[2], 0),
                    coalesce((coalesce(nullif($2::text, ''), '{}')::bigint[])[3], 0))
                order by kind, room, seq limit $3
                """)),
        ExportSection(
            "threads",
            .read(
                "exported threads",
                """
                select array[kind, room, root]::bigint[]::text, json_build_object(
                    'room', export_room(kind, room), 'root', root, 'following', is_following, 'readSeq', read_seq)::text,
                    null::text
                from thread_follower
                where user_id = $1
                    and array[kind, room, root]::bigint[] > coalesce(nullif($2::text, ''), '{}')::bigint[]
                order by array[kind, room, root]::bigint[] limit $3
                """)),
        ExportSection(
            "directMessages",
            .read(
                "exported rooms of two",
                """
                select id::text, json_build_object(
                    'room', 'dm-' || id, 'workspace_id', workspace::text, 'user_id',
                    (case low when $1 then high else low end)::text, 'createdAt', export_time(created_at))::text, null::text
                from dm
                where (low = $1 or high = $1) and id > coalesce(nullif($2::text, ''), '0')::bigint order by dm.id limit $3
                """)),
        ExportSection(
            "reports",
            .read(
                "exported reports",
                """
                select id::text, json_build_object(
                    'report_id', id::text, 'workspace_id', workspace::text, 'reason', reason, 'text', text,
                    'createdAt', export_time(created_at))::text, null::text
                from report
                where reporter = $1 and id > coalesce(nullif($2::text, ''), '0')::bigint order by report.id limit $3
                """)),
        ExportSection(
            "standings",
            .read(
                "exported standings",
                """
                select workspace::text, json_build_object(
                    'workspace_id', workspace::text, 'warnings', warnings, 'warnedAt', export_time(warned_at),
                    'mutedUntil', export_time(muted_until), 'suspended', is_suspended)::text, null::text
                from standing
                where user_id = $1 and workspace > coalesce(nullif($2::text, ''), '0')::bigint
                order by standing.workspace limit $3
                """)),
        ExportSection(
            "storage",
            .read(
                "exported storage",
                """
                select '1', json_build_object('bytes', bytes)::text, null::text
                from storage where kind = 1 and id = $1 and $2::text = '' limit $3
                """)),
    ]
}
