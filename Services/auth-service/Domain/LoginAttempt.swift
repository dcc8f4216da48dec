import Crypto
import ServiceKit
import Wire

/// Somebody's wish to come in with a password.
struct LoginAttempt: Sendable, Hashable {
    /// Stands for the email; nil where it is no email. Nobody reads emails out of what is kept about attempts.
    let account: String?
    /// The address it comes from, or the network of 64 bits in IPv6.
    let address: String

    init(_ email: EmailAddress?, from address: String) {
        account = email.map { Hexadecimal.encode(SHA256.digest(of: $0.key.utf8.span).span) }
        self.address = AddressGroup.of(address)
    }
}
