import Contract
import Crypto
import ServiceKit
import Telemetry
import Wire

/// Runs commands: calls their bots, and takes the answers, at once or later.
///
/// A run has a row before its bot is called, so that a bot may use the address before its reply arrives. The deletion
/// of the row admits the answer: there is one answer at most.
struct CommandRunner: Sendable {
    private let store: CommandStore
    private let runs: CommandRunStore
    private let receivers: CommandReceivers
    private let conversations: Conversations
    private let access: RoomAccess
    private let publisher: PrivateAnswerPublisher
    private let limits: CommandLimits
    private let metrics: CommandMetrics
    private let buckets: BucketTable<UserID>

    init(
        store: CommandStore, runs: CommandRunStore, receivers: CommandReceivers, conversations: Conversations,
        access: RoomAccess, publisher: PrivateAnswerPublisher, limits: CommandLimits, metrics: CommandMetrics
    ) {
        self.store = store
        self.runs = runs
        self.receivers = receivers
        self.conversations = conversations
        self.access = access
        self.publisher = publisher
        self.limits = limits
        self.metrics = metrics
        buckets = BucketTable(rate: limits.runs.rate, burst: limits.runs.burst)
    }

    /// A command as a member runs it.
    struct Order: Sendable {
        let name: String
        /// The text after the name; may be empty.
        let text: String
        let thread: Int64?
    }

    /// Calls the bot of a command, and returns the state of the run.
    ///
    /// - Parameter target: a room that the caller may write to.
    func run(_ order: Order, in target: MessageTarget, by caller: Caller) async throws -> CommandOutcome {
        if let wait = buckets.take(caller.user) { throw Failure.tooManyCalls(retryAfter: wait) }
        try await conversations.moderation.rules(of: target.workspace).requireWriting(caller.user)
        let text = try SendRequest.checked(order.text)
        guard let name = try? CommandName(order.name), let command = try await store.find(name, in: target.workspace),
            try await access.isMember(command.bot, of: target.workspace)
        else { throw Self.unknown }
        let secret = BearerSecret()
        let run = try await runs.insert(
            secret.hash, of: command, in: target.room, thread: order.thread, by: caller.user,
            until: .now + limits.answerTime)
        let answer: CommandAnswer?
        do throws(Failure) {
            let user = try await author(caller.user)
            answer = try await receivers.call(command, run: run, text: text, by: user, answerAt: secret)
        } catch {
            metrics.failed.increment()
            // A bot that has used the address in time has answered.
            if try await runs.take(run) { throw error }
            return CommandOutcome(run: run.id, answer: .waiting)
        }
        guard let answer else {
            metrics.waiting.increment()
            return CommandOutcome(run: run.id, answer: .waiting)
        }
        guard try await runs.take(run) else { return CommandOutcome(run: run.id, answer: .waiting) }
        metrics.answered.increment()
        switch answer.audience {
        case .me: return CommandOutcome(run: run.id, answer: .whispered(try await whisper(answer.text, to: run)))
        case .all: return CommandOutcome(run: run.id, answer: .said(try await say(answer.text, for: run), target))
        }
    }

    /// Takes a later answer. An address is used once; a refused message leaves it to another attempt.
    func answer(_ secret: String, _ answer: CommandAnswer) async throws {
        guard let secret = BearerSecret(secret), let run = try await runs.take(secret.hash, at: .now) else {
            throw Failure.notFound
        }
        do {
            // The bot, and the member that waits for the answer, may have lost their access meanwhile.
            guard try await access.isMember(run.bot, of: run.workspace),
                try await access.isMember(run.user, of: run.room)
            else { throw Failure.notFound }
            switch answer.audience {
            case .me: publisher.publish(try await whisper(answer.text, to: run), to: run.user)
            case .all: _ = try await say(answer.text, for: run)
            }
            metrics.answered.increment()
        } catch {
            // The message has a key, so that another attempt does not write it a second time.
            try await runs.restore(run, secret: secret.hash)
            throw error
        }
    }

    /// Writes the answer as every message of the bot.
    private func say(_ text: String, for run: CommandRun) async throws -> MessageBody {
        let target: MessageTarget
        do {
            if let channel = run.room.channel {
                target = MessageTarget(try await access.channel(.id(channel), in: run.workspace, joinedBy: run.bot))
            } else {
                target = try await access.target(run.room, for: run.bot, writing: true)
            }
        } catch let failure as Failure where failure.code == .notFound {
            throw Failure(.notAllowed, "The bot is not in this room, so it cannot answer everybody.")
        }
        let reply = run.thread.map { ReplyRequest(seq: $0, isInTimeline: false) }
        return try await conversations.send(
            SendRequest(content: text, files: [], clientID: run.messageKey, reply: reply), to: target,
            by: Caller(user: run.bot, session: .ofWebhooks))
    }

    private func whisper(_ text: String, to run: CommandRun) async throws -> PrivateAnswer {
        PrivateAnswer(
            run: run.id.description, room: run.room, thread: run.thread, command: run.command, bot: run.bot,
            nickname: try await conversations.profiles.member(run.bot).nickname, text: text)
    }

    private func author(_ user: UserID) async throws(Failure) -> MemberView {
        do {
            return try await conversations.profiles.member(user)
        } catch {
            throw error as? Failure ?? .unavailable
        }
    }

    /// Deletes the runs that have expired.
    func forget() async throws { try await runs.forget(before: .now) }

    private static let unknown = Failure(.notFound, "This workspace has no such command.")
}
