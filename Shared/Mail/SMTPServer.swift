/// The server that takes mails, and the way to talk to it.
public struct SMTPServer: Sendable {
    /// `smtp://host:port` or, with TLS from the first byte, `smtps://host:port`.
    public var url: String
    /// The user name; empty for a server that needs none.
    public var user: String
    public var password: String
    /// Whether a server at `smtp://` must switch to TLS before anything is sent. False is for a server on the same
    /// machine.
    public var requiresTLS: Bool
    /// A PEM file of trusted certificate authorities; nil for the system's.
    public var authorities: String?
    /// The time-out of one mail, from the name look-up to the server's last reply.
    public var deadline: Duration

    public init(
        url: String, user: String = "", password: String = "", requiresTLS: Bool = true, authorities: String? = nil,
        deadline: Duration = .seconds(30)
    ) {
        self.url = url
        self.user = user
        self.password = password
        self.requiresTLS = requiresTLS
        self.authorities = authorities
        self.deadline = deadline
    }

    /// Whether the URL has one of the two protocols.
    public var isValid: Bool { url.hasPrefix("smtp://") || url.hasPrefix("smtps://") }
}
