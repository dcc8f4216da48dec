import Postgres
import ServiceKit

/// The migrations of the schema, in order.
enum Migrations {
    static let all = [
        Migration(number: 1, name: "workspaces", sql: PackageResources._001_workspaces_sql),
        Outbox.migration(number: 2),
        Migration(number: 3, name: "covers", sql: PackageResources._003_covers_sql),
        Migration(number: 4, name: "default_channels", sql: PackageResources._004_default_channels_sql),
        Migration(number: 5, name: "memberships_in_bulk", sql: PackageResources._005_memberships_in_bulk_sql),
        Migration(number: 6, name: "times", sql: PackageResources._006_times_sql),
        Outbox.timesMigration(number: 7),
        Migration(number: 8, name: "replaced_covers", sql: PackageResources._008_replaced_covers_sql),
        Migration(number: 9, name: "order_of_lists", sql: PackageResources._009_order_of_lists_sql),
        Migration(number: 20, name: "audit", sql: PackageResources._020_audit_sql),
        Migration(number: 21, name: "roles", sql: PackageResources._021_roles_sql),
        Migration(number: 22, name: "invitations", sql: PackageResources._022_invitations_sql),
        Migration(number: 30, name: "exports", sql: PackageResources._030_exports_sql),
        Migration(number: 40, name: "second_factor", sql: PackageResources._040_second_factor_sql),
        Migration(number: 50, name: "operator_acts", sql: PackageResources._050_operator_acts_sql),
        Migration(number: 51, name: "bots", sql: PackageResources._051_bots_sql),
        Migration(
            number: 52, name: "second_factor_notices", sql: PackageResources._052_second_factor_notices_sql),
        Migration(number: 53, name: "second_factor_graces", sql: PackageResources._053_second_factor_graces_sql),
        Migration(
            number: 54, name: "recipients_of_invitations", sql: PackageResources._054_recipients_of_invitations_sql),
    ]
}
