import Postgres
import ServiceKit

/// The migrations of the schema, in order.
enum Migrations {
    static let all = [
        Migration(number: 1, name: "rooms", sql: PackageResources._001_rooms_sql),
        Outbox.migration(number: 2),
        Migration(number: 3, name: "leaving_and_files", sql: PackageResources._003_leaving_and_files_sql),
        Migration(number: 4, name: "told_positions", sql: PackageResources._004_told_positions_sql),
        Migration(number: 5, name: "erasure", sql: PackageResources._005_erasure_sql),
        Migration(number: 6, name: "messages_with_files", sql: PackageResources._006_messages_with_files_sql),
        Migration(number: 7, name: "positions_of_rooms", sql: PackageResources._007_positions_of_rooms_sql),
        Outbox.timesMigration(number: 8),
        Migration(number: 9, name: "storage", sql: PackageResources._009_storage_sql),
        Migration(number: 10, name: "revisions", sql: PackageResources._010_revisions_sql),
        Migration(number: 30, name: "settings_and_notify", sql: PackageResources._030_settings_and_notify_sql),
        Migration(number: 31, name: "drafts", sql: PackageResources._031_drafts_sql),
        Migration(number: 32, name: "scheduled", sql: PackageResources._032_scheduled_sql),
        Migration(number: 50, name: "search", sql: PackageResources._050_search_sql),
        Migration(
            number: 51, name: "smaller_search_entries", sql: PackageResources._051_smaller_search_entries_sql),
        Migration(number: 52, name: "search_partitions", sql: PackageResources._052_search_partitions_sql),
        Migration(number: 60, name: "threads", sql: PackageResources._060_threads_sql),
        Migration(number: 61, name: "mentions", sql: PackageResources._061_mentions_sql),
        Migration(number: 62, name: "scheduled_files", sql: PackageResources._062_scheduled_files_sql),
        Migration(number: 80, name: "moderation", sql: PackageResources._080_moderation_sql),
        Migration(number: 115, name: "previews", sql: PackageResources._115_previews_sql),
        Migration(number: 116, name: "exports", sql: PackageResources._116_exports_sql),
        Migration(number: 120, name: "report_files", sql: PackageResources._120_report_files_sql),
        Migration(number: 140, name: "incoming_webhooks", sql: PackageResources._140_incoming_webhooks_sql),
        Migration(number: 141, name: "outgoing_webhooks", sql: PackageResources._141_outgoing_webhooks_sql),
        Migration(number: 142, name: "commands", sql: PackageResources._142_commands_sql),
        Migration(
            number: 160, name: "workspaces_of_messages", sql: PackageResources._160_workspaces_of_messages_sql),
        Migration(number: 161, name: "workspaces_of_rows", sql: PackageResources._161_workspaces_of_rows_sql),
        Migration(
            number: 162, name: "workspaces_of_reports_and_webhooks",
            sql: PackageResources._162_workspaces_of_reports_and_webhooks_sql),
        Migration(
            number: 163, name: "fill_workspaces", sql: PackageResources._163_fill_workspaces_sql, isInPortions: true),
        Migration(number: 164, name: "room_statistics", sql: PackageResources._164_room_statistics_sql),
        Migration(number: 165, name: "workspace_leases", sql: PackageResources._165_workspace_leases_sql),
        Migration(number: 166, name: "workspaces_of_outbox", sql: PackageResources._166_workspaces_of_outbox_sql),
        Migration(number: 167, name: "rooms_of_workspaces", sql: PackageResources._167_rooms_of_workspaces_sql),
        Migration(number: 168, name: "busy_workspaces", sql: PackageResources._168_busy_workspaces_sql),
        Migration(number: 169, name: "times_of_changes", sql: PackageResources._169_times_of_changes_sql),
        Migration(number: 171, name: "report_pictures", sql: PackageResources._171_report_pictures_sql),
        Migration(number: 172, name: "sent_scheduled", sql: PackageResources._172_sent_scheduled_sql),
        Migration(
            number: 174, name: "times_of_sent_scheduled", sql: PackageResources._174_times_of_sent_scheduled_sql),
    ]
}
