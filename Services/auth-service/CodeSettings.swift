import ServiceKit

/// The settings of codes that are sent by mail.
struct CodeSettings: Sendable {
    private static let lifetimeKey = ConfigKey(
        "code_lifetime", default: Duration.seconds(600), atLeast: .seconds(60), "How long a code from a mail is valid.")
    private static let triesKey = ConfigKey(
        "code_tries", default: 5, atLeast: 1, atMost: 20, "Tries for one code from a mail.")
    private static let mailsKey = ConfigKey(
        "code_mails", default: 5, atLeast: 1,
        """
        Mails with a code to one address in an hour for each purpose, as many for resets from known networks, and those that \
        one account causes.
        """)
    private static let requestsKey = ConfigKey(
        "code_requests", default: 60, atLeast: 1, "Password resets of one IP address in an hour, both steps counted.")

    static let entries = [lifetimeKey.entry, triesKey.entry, mailsKey.entry, requestsKey.entry]

    let limits: Codes.Limits
    /// The password resets of each IP address.
    let buckets: BucketTable<String>

    init(_ config: Config) {
        limits = Codes.Limits(
            lifetime: config[Self.lifetimeKey], tries: config[Self.triesKey], mails: config[Self.mailsKey])
        let hourly = Double(config[Self.requestsKey])
        buckets = BucketTable(rate: hourly / 3600, burst: hourly)
    }
}
