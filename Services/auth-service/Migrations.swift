import Postgres
import ServiceKit

/// The migrations of the schema `auth`, in order.
enum Migrations {
    static let all = [
        Migration(number: 1, name: "accounts", sql: PackageResources._001_accounts_sql),
        Migration(number: 2, name: "sessions", sql: PackageResources._002_sessions_sql),
        Outbox.migration(number: 3),
        Migration(number: 4, name: "nonces", sql: PackageResources._004_nonces_sql),
        Migration(number: 5, name: "portraits", sql: PackageResources._005_portraits_sql),
        Migration(number: 6, name: "times", sql: PackageResources._006_times_sql),
        Outbox.timesMigration(number: 7),
        Migration(
            number: 8, name: "exact_tokens_and_addresses",
            sql: PackageResources._008_exact_tokens_and_addresses_sql),
        Migration(number: 9, name: "replaced_portraits", sql: PackageResources._009_replaced_portraits_sql),
        Migration(number: 10, name: "mail", sql: PackageResources._010_mail_sql),
        Migration(number: 11, name: "codes", sql: PackageResources._011_codes_sql),
        Migration(number: 12, name: "erasure", sql: PackageResources._012_erasure_sql),
        Migration(
            number: 95, name: "mails_of_other_services", sql: PackageResources._095_mails_of_other_services_sql),
        Migration(number: 96, name: "exports", sql: PackageResources._096_exports_sql),
        Migration(number: 97, name: "second_factor", sql: PackageResources._097_second_factor_sql),
        Migration(number: 98, name: "oidc", sql: PackageResources._098_oidc_sql),
        Migration(
            number: 100, name: "second_factor_versions", sql: PackageResources._100_second_factor_versions_sql),
        Migration(number: 110, name: "disabled", sql: PackageResources._110_disabled_sql),
        Migration(number: 120, name: "bots", sql: PackageResources._120_bots_sql),
        Migration(number: 121, name: "bot_tokens", sql: PackageResources._121_bot_tokens_sql),
        Migration(
            number: 122, name: "codes_of_known_networks", sql: PackageResources._122_codes_of_known_networks_sql),
        Migration(
            number: 123, name: "addresses_of_erasures", sql: PackageResources._123_addresses_of_erasures_sql),
        Migration(number: 124, name: "notices", sql: PackageResources._124_notices_sql),
    ]
}
