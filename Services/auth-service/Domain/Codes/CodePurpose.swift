/// The single use of a code that was sent by mail. The raw values are stored.
enum CodePurpose: String, Sendable, CaseIterable {
    /// Verifies the account's present address.
    case verification
    /// Verifies the address that an account changes to.
    case address
    /// Sets a new password.
    case reset

    var template: MailTemplate {
        switch self {
        case .verification: .verification
        case .address: .address
        case .reset: .reset
        }
    }
}
