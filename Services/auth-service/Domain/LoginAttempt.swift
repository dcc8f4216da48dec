import Crypto
import ServiceKit
import Wire

/// One attempt to log in with a password: the account and the address that it counts against.
struct LoginAttempt: Sendable, Hashable {
    /// A digest of the email, so that stored counts contain no address; nil if the text is not an email.
    let account: String?
    /// The caller's IP address, or its /64 network in IPv6.
    let address: String

    init(_ email: EmailAddress?, from address: String) {
        account = email.map { Hexadecimal.encode(SHA256.digest(of: $0.key.utf8.span).span) }
        self.address = AddressGroup.of(address)
    }
}
