import Postgres

/// The history of the schema.
enum Migrations {
    static let all = [
        Migration(number: 1, name: "push", sql: PackageResources._001_push_sql),
        Migration(number: 2, name: "push_job", sql: PackageResources._002_push_job_sql),
        Migration(number: 30, name: "push_decisions", sql: PackageResources._030_push_decisions_sql),
    ]
}
