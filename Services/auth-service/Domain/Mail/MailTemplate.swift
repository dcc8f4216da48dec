import Wire

/// The kinds of mails. The raw values are stored.
enum MailTemplate: String, Sendable, CaseIterable {
    /// A code that verifies the account's address.
    case verification
    /// A code that verifies the address that an account changes to.
    case address
    /// A code that sets a new password.
    case reset
    /// A code has set a new password.
    case passwordReset = "password_reset"
    /// The owner has changed the password.
    case passwordChanged = "password_changed"
    /// The account has another address. The old and the new one get this mail.
    case addressChanged = "address_changed"
    /// A sign-in on a device that the account has not been used on.
    case newDevice = "new_device"
    /// The owner has deleted the account. It goes to the address that the account had.
    case accountDeleted = "account_deleted"
    /// Somebody invites the recipient to a workspace.
    case invitation
    /// A copy of all data of the account can be loaded. The thief of a session could order one.
    case exportReady = "export_ready"
    /// Sign-ins ask for a code of an authenticator app from now on, or do so no longer.
    case secondFactorOn = "second_factor_on"
    case secondFactorOff = "second_factor_off"
    /// A recovery code was used instead of the app, or all were replaced.
    case recoveryCodeUsed = "recovery_code_used"
    case recoveryCodesRenewed = "recovery_codes_renewed"
    /// An outgoing webhook that the recipient has made, or of their workspace, was switched off.
    case webhookOff = "webhook_off"
    /// A workspace of the account requires a second factor, and the account has none.
    case secondFactorRequired = "second_factor_required"
}

/// A mail's subject and text, ready to be sent.
struct MailText: Sendable, Equatable {
    let subject: String
    let text: String
}

/// The values that a template shows.
struct MailValues: Sendable, Equatable {
    /// When the event of the mail happened.
    let moment: Timestamp
    /// Until when a code is valid.
    let expiry: Timestamp
    /// The digits of a code; empty for a mail without one.
    var code = ""
    /// The name of an app or an address; empty if the template shows none.
    var detail = ""
    /// The values of an invitation, and the link or the token that opens it.
    var invitation: MailInvitation?
    var opening = ""
    /// The workspace that requires a second factor.
    var demand: MailDemand?

    var minutes: Int { Int(max(1, (expiry - moment).wholeMilliseconds / 60_000)) }
}

extension MailTemplate {
    /// Whether people other than the account's owner can cause the notice, such as the owner of a workspace.
    var isCausedByOthers: Bool { self == .webhookOff || self == .secondFactorRequired }

    /// Writes the mail in one language.
    func text(in language: MailLanguage, _ values: MailValues) -> MailText {
        switch language {
        case .korean:
            let text = korean(values)
            return MailText(
                subject: "[마루] " + text.subject, text: text.text + "\n\n마루\n이 메일은 발신 전용입니다.\n")
        case .english:
            let text = english(values)
            return MailText(
                subject: "[Maru] " + text.subject, text: text.text + "\n\nMaru\nPlease do not reply to this mail.\n")
        }
    }

    /// The moment by which a demand has to be met.
    func due(of values: MailValues, in language: MailLanguage) -> String {
        MailTime.text(of: values.demand?.due ?? values.moment, in: language)
    }
}
