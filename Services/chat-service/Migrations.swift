import Postgres
import ServiceKit

/// The history of the schema.
enum Migrations {
    static let all = [
        Migration(number: 1, name: "rooms", sql: PackageResources._001_rooms_sql),
        Outbox.migration(number: 2),
    ]
}
