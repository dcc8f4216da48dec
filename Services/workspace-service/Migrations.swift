import Postgres
import ServiceKit

/// The history of the schema.
enum Migrations {
    static let all = [
        Migration(number: 1, name: "workspaces", sql: PackageResources._001_workspaces_sql),
        Outbox.migration(number: 2),
    ]
}
