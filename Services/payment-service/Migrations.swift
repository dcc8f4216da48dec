import Postgres
import ServiceKit

/// The migrations of the schema `payment`, in order.
enum Migrations {
    static let all = [
        Migration(number: 1, name: "ledger", sql: PackageResources._001_ledger_sql),
        Migration(number: 2, name: "reserve", sql: PackageResources._002_reserve_sql),
        Migration(number: 3, name: "payment", sql: PackageResources._003_payment_sql),
        Migration(number: 4, name: "reconciliation", sql: PackageResources._004_reconciliation_sql),
        Outbox.migration(number: 5),
        Migration(number: 6, name: "times", sql: PackageResources._006_times_sql),
        Outbox.timesMigration(number: 7),
        Migration(number: 8, name: "orders", sql: PackageResources._008_orders_sql),
        Migration(number: 9, name: "exports", sql: PackageResources._009_exports_sql),
        Migration(number: 10, name: "compared", sql: PackageResources._010_compared_sql),
        Migration(number: 11, name: "compared_before", sql: PackageResources._011_compared_before_sql),
    ]
}
