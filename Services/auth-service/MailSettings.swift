import Mail
import ServiceKit

/// The settings of mails.
struct MailSettings: Sendable {
    private static let urlKey = ConfigKey(
        "smtp_url", default: "",
        "The mail server: smtp://host:587, or smtps://host:465 for TLS from the first byte; empty for none.")
    private static let userKey = ConfigKey(
        "smtp_user", default: "", "The user name at the mail server; empty for none.")
    private static let passwordKey = ConfigKey(
        "smtp_password", default: Secret.none, "The password at the mail server.")
    private static let tlsKey = ConfigKey(
        "smtp_tls", default: true,
        "Whether a server at smtp:// must switch to TLS; false only for a server on the same machine.")
    private static let authoritiesKey = ConfigKey(
        "smtp_authorities", default: "",
        "A PEM file of certificate authorities for the mail server; empty for the system's.")
    private static let timeoutKey = ConfigKey(
        "smtp_timeout", default: Duration.seconds(30), atLeast: .seconds(1), "The time-out of one mail.")
    private static let folderKey = ConfigKey(
        "mail_folder", default: "",
        "A folder that mails are written to instead of being sent, for development; empty for none.")
    private static let senderKey = ConfigKey(
        "mail_sender", default: "no-reply@localhost.localdomain", "The address that mails come from.")
    private static let senderNameKey = ConfigKey("mail_sender_name", default: "Maru", "The name that mails come from.")
    private static let languageKey = ConfigKey(
        "mail_language", default: MailLanguage.korean, "The language of mails to accounts without a language.")
    private static let lifetimeKey = ConfigKey(
        "mail_lifetime", default: Duration.seconds(86_400), atLeast: .seconds(60),
        "How long a notice waits for the mail server before it is given up.")

    static let entries = [
        urlKey.entry, userKey.entry, passwordKey.entry, tlsKey.entry, authoritiesKey.entry, timeoutKey.entry,
        folderKey.entry, senderKey.entry, senderNameKey.entry, languageKey.entry, lifetimeKey.entry,
    ]

    /// Nil if no mail server is set up.
    let server: SMTPServer?
    /// Nil if mails are not written to a folder.
    let folder: String?
    let sender: MailDelivery.Sender
    let lifetime: Duration
    let timeout: Duration

    /// - Throws: `ConfigError` for a URL of another protocol.
    init(_ config: Config) throws {
        let url = config[Self.urlKey]
        let server = SMTPServer(
            url: url, user: config[Self.userKey], password: config[Self.passwordKey].revealed,
            requiresTLS: config[Self.tlsKey],
            authorities: config[Self.authoritiesKey].isEmpty ? nil : config[Self.authoritiesKey],
            deadline: config[Self.timeoutKey])
        guard url.isEmpty || server.isValid else {
            throw ConfigError("smtp_url must be smtp://host:port or smtps://host:port")
        }
        self.server = url.isEmpty ? nil : server
        folder = config[Self.folderKey].isEmpty ? nil : config[Self.folderKey]
        sender = MailDelivery.Sender(
            name: config[Self.senderNameKey], address: config[Self.senderKey], language: config[Self.languageKey])
        lifetime = config[Self.lifetimeKey]
        timeout = config[Self.timeoutKey]
    }
}
