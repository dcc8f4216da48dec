import Wire

/// A mail that waits in the outbox, as the delivery takes it.
struct WaitingMail: Sendable {
    let id: MailID
    let recipient: String
    let template: MailTemplate
    /// The account's language, else the language of the call that caused the mail.
    let language: MailLanguage?
    let detail: String
    let createdAt: Timestamp
    let expiresAt: Timestamp
    /// The attempts so far, with the one that begins now.
    let attempts: Int
    /// The account that the mail is about; nil if its address has none.
    let account: UserID?
    /// The seed of the mail's code; nil for a mail without one.
    let code: CodeSeed?
}

/// The subject of ids of waiting mails.
enum MailSubject {}
typealias MailID = ID<MailSubject>
