/// Takes mails to a server, or to a folder while a program is developed.
public protocol MailTransport: Sendable {
    /// Returns once the mail is accepted. A mail may arrive although this call throws.
    func send(_ message: MailMessage) async throws(MailFailure)

    /// Ends running calls and refuses new ones.
    func close()
}

/// The reason why a mail was not accepted.
public enum MailFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The server refuses this mail for good, with a reply code from 500 to 599.
    case refused(code: Int)
    /// The server cannot be reached, is busy, or does not accept this sender. A later attempt may succeed.
    ///
    /// - Parameters:
    ///   - code: the server's last reply code; 0 if there was none.
    ///   - reason: libcurl's name of the failure; it holds no address.
    case unavailable(code: Int, reason: String)

    public var description: String {
        switch self {
        case .refused(let code): "the server refused the mail with \(code)"
        case .unavailable(let code, let reason): "\(reason) (reply code \(code))"
        }
    }
}
