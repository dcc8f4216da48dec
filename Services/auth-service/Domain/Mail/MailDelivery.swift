import EventLoop
import Mail
import ServiceKit
import Synchronization
import Telemetry
import Wire

/// Sends the mails of the outbox, several at a time.
///
/// An instance leases the mails that it sends, so that a crash delays them but loses none. A crash between the server's
/// reply and the deletion of the row sends a mail a second time, with the same Message-ID.
struct MailDelivery: Sendable {
    let store: MailStore
    let transport: any MailTransport
    let codes: CodeGenerator
    let invitations: InvitationTokens
    let sender: Sender
    let lease: Duration
    let metrics: MailMetrics
    let signal: WakeSignal
    let log: Log
    /// The time for mails on their way when the service stops.
    var stopTimeout = Duration.seconds(5)

    private let work = Work()

    private final class Work: Sendable {
        let isStopped = Atomic(false)
        /// Whether mails are being leased or sent.
        let isBusy = Atomic(false)
    }

    /// The sender that readers see, and the language of mails to accounts that have none.
    struct Sender: Sendable {
        let name: String
        let address: String
        let language: MailLanguage
    }

    /// The mails on their way at a time.
    static let concurrency = 4
    /// The pause between searches for mails that other instances accepted or left behind.
    private static let searchInterval = Duration.seconds(2)

    /// Sends until the task is cancelled.
    func run(on loop: EventLoop) async throws {
        while !Task.isCancelled {
            if try await sendDue() == Self.concurrency { continue }
            try await signal.sleep(atMost: Self.searchInterval, on: loop)
        }
    }

    /// Sends the next mails that are due, and returns how many.
    private func sendDue() async throws -> Int {
        work.isBusy.store(true, ordering: .sequentiallyConsistent)
        defer { work.isBusy.store(false, ordering: .sequentiallyConsistent) }
        if work.isStopped.load(ordering: .sequentiallyConsistent) { return 0 }
        let due = try await store.take(atMost: Self.concurrency, now: .now, lease: lease)
        await withTaskGroup { group in
            for mail in due { group.addTask { await settle(mail) } }
        }
        return due.count
    }

    /// Takes no more mails, which another instance or the next process sends, and returns once those on their way are settled, or
    /// after a while.
    func stop(on loop: EventLoop) async throws {
        work.isStopped.store(true, ordering: .sequentiallyConsistent)
        let end = EventLoop.preciseNow + stopTimeout.wholeNanoseconds
        while work.isBusy.load(ordering: .sequentiallyConsistent), EventLoop.preciseNow < end {
            try await loop.sleep(for: .milliseconds(20))
        }
    }

    private func settle(_ mail: WaitingMail) async {
        do {
            try await send(mail)
        } catch {
            log.error("the outcome of a mail cannot be saved", ["cause": .cause(error)])
        }
    }

    private func send(_ mail: WaitingMail) async throws {
        guard mail.expiresAt > .now else {
            metrics.expired.increment()
            log.warning("gave up sending a mail", ["template": .name(mail.template.rawValue)])
            return try await store.finish(mail.id)
        }
        // An address without an account is treated differently only here, after the caller got its reply, so that the
        // reply reveals nothing.
        guard mail.template != .reset || mail.account != nil else {
            metrics.discarded.increment()
            return try await store.finish(mail.id)
        }
        var values = MailValues(
            moment: mail.createdAt, expiry: mail.expiresAt, code: mail.code.map(codes.code) ?? "", detail: mail.detail)
        if mail.template == .invitation, let invitation = MailInvitation(detail: mail.detail) {
            values.invitation = invitation
            values.opening = invitation.link + invitations.token(of: invitation.seed)
        }
        if mail.template == .secondFactorRequired { values.demand = MailDemand(detail: mail.detail) }
        let text = mail.template.text(in: mail.language ?? sender.language, values)
        let message = MailMessage(
            from: sender.name, sender.address, to: mail.recipient, subject: text.subject, text: text.text,
            id: "mail-\(mail.id)-\(mail.createdAt.milliseconds)", date: .now)
        do throws(MailFailure) {
            try await transport.send(message)
            metrics.sent.increment()
        } catch {
            return try await handle(error, of: mail)
        }
        try await store.sent(mail, at: .now)
    }

    private func handle(_ failure: MailFailure, of mail: WaitingMail) async throws {
        switch failure {
        case .refused(let code):
            metrics.bounced.increment()
            log.info("a mail bounced", ["template": .name(mail.template.rawValue), "code": .count(code)])
            try await store.bounce(mail, at: .now)
        case .unavailable(let code, let reason):
            metrics.retried.increment()
            log.warning(
                "a mail could not be sent and will be retried",
                ["attempts": .count(mail.attempts), "code": .count(code), "cause": .name(reason)])
            let wait = MailRetry.wait(after: mail.attempts, spread: .random(in: 0...1))
            try await store.postpone(mail.id, to: .now + wait)
        }
    }
}

/// The metrics of mails.
struct MailMetrics: Sendable {
    let sent, retried, bounced, expired: Counter
    /// Resets of addresses without an account.
    let discarded: Counter

    init(_ metrics: MetricsRegistry) {
        func counter(_ outcome: String) -> Counter {
            metrics.counter("maru_mails_total", "Mails by their outcome.", labels: ["outcome": outcome])
        }
        sent = counter("sent")
        retried = counter("retried")
        bounced = counter("bounced")
        expired = counter("expired")
        discarded = counter("discarded")
    }
}
