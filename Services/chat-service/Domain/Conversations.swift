import Contract
import EventLoop
import Postgres
import ServiceKit
import Wire

/// Where a message goes: a room that its author may write to.
struct Place: Sendable {
    let room: RoomID
    let workspace: WorkspaceID
    /// The channel's name; nil in a DM.
    let name: String?
}

/// Sends and reads messages.
struct Conversations: Sendable {
    let gates: LoopLocal<SendGate>
    let messages: MessageStore
    let positions: ReadPositionStore
    let profiles: ProfileCache
    let attachments: Attachments
    let historyCursors: HistoryCursorPublisher

    /// Messages in one page of a long history, and bytes of their content, at which it ends.
    static let pageSize = 500
    static let pageBytes = 1 << 20

    /// Writes a message and returns it once it is committed; the same request again returns the same message.
    func send(_ request: SendRequest, to place: Place, by caller: Caller) async throws -> MessageBody {
        let author = try await profiles.member(caller.user)
        let digest = request.digest(of: request.files.map(\.upload.digest))
        let paths = try await attachments.keep(request.files, in: place.room)
        let draft = Draft(
            room: place.room, workspace: place.workspace, roomName: place.name, authorView: author,
            session: caller.session, content: request.content, files: paths, clientID: request.clientID,
            digest: digest)
        let outcome: SendOutcome
        do {
            outcome = try await gates.current.send(draft)
        } catch {
            // A message that may have been written keeps its files.
            if error.isWithoutEffect { await attachments.discard(paths: paths) }
            throw error
        }
        let refusal: Failure
        switch outcome {
        case .written(let written):
            return draft.message(written).body
        case .known(let written):
            await attachments.discard(paths: paths)
            return draft.message(written).body
        case .conflicting:
            refusal = Failure(.invalidRequest, "Another message was sent under this client_id.", status: 409)
        case .overloaded:
            refusal = .tooManyCalls(retryAfter: .seconds(1))
        case .closed:
            refusal = .notFound
        }
        await attachments.discard(paths: paths)
        throw refusal
    }

    /// A part of a room's history: the messages above `after` and up to `through`.
    struct Part: Sendable {
        let after: Int64
        let through: Int64
        /// Whether who gets it has read the room as far as that.
        let isRead: Bool
        /// Whether a socket of theirs goes on behind it, where none has been further.
        let isContinued: Bool
    }

    /// A page that ends so few messages below the head is the newest that its reader knew of.
    private static let mostMissed: Int64 = 500

    /// What a range of a room's history is now.
    ///
    /// A page from further up says nothing of how far its reader has come. But the page before a place, which a client takes
    /// from what it knew last, may miss what was said since: if nothing more is known of its session, its socket brings
    /// that. It would bring again what the client has from elsewhere, so not where that is fatal.
    func part(_ range: HistoryRange, of room: RoomID, for profile: ClientProfile) async throws -> Part {
        let head = try await messages.head(of: room)
        let (after, through) = range.part(upTo: head)
        let isRead = range.readsForward || through == head
        let isNewest = head - through <= Self.mostMissed && profile.repeatedEvent == .harmless
        return Part(after: after, through: through, isRead: isRead, isContinued: isRead || isNewest)
    }

    /// Returns the part of a room's history that a call asks for once `load` has read its first page. Gateways know of the
    /// call while it lasts, and of its reply before it leaves.
    ///
    /// - Parameter hasCursor: whether the caller has messages already, and asks for those after them.
    /// - Returns: the part, what `load` returned, and the messages that the reply must leave out.
    func read<Page>(
        _ range: HistoryRange, of room: RoomID, by caller: Caller, for profile: ClientProfile, hasCursor: Bool,
        _ load: (Part) async throws -> Page
    ) async throws -> (part: Part, page: Page, left: Range<Int64>?) {
        let begun = historyCursors.begin(caller.session, room)
        do {
            let part = try await part(range, of: room, for: profile)
            let page = try await load(part)
            // A caller that gets an error has read nothing.
            if part.isRead, part.through > 0 { try await positions.move(caller.user, in: room, to: part.through) }
            guard part.isContinued else {
                historyCursors.end(caller.session, room, begun: begun)
                return (part, page, nil)
            }
            let leavesOut = hasCursor && range.readsForward && profile.repeatedEvent == .fatal
            let left = try await historyCursors.report(
                caller.session, room, part.through, begun: begun, leavingOutAfter: leavesOut ? part.after : nil)
            return (part, page, left)
        } catch {
            historyCursors.end(caller.session, room, begun: begun)
            throw error
        }
    }

    /// Moves a read position, never backwards and not beyond the room's head; returns where it is then.
    func moveReadPosition(of user: UserID, in room: RoomID, to seq: Int64) async throws -> Int64 {
        guard seq >= 0 else { throw Failure.invalid("seq must not be negative.") }
        try await positions.move(user, in: room, to: min(seq, try await messages.head(of: room)))
        return try await positions.position(of: user, in: room)
    }

    /// Messages with their authors, in order.
    func bodies(_ stored: [StoredMessage]) async throws -> [MessageBody] {
        let authors = try await profiles.members(stored.map(\.author))
        return stored.map { $0.body(by: authors[$0.author] ?? .gone($0.author)) }
    }
}

extension MemberView {
    /// Someone whose account is no more.
    static func gone(_ id: UserID) -> MemberView {
        MemberView(id: id, email: "", nickname: "(알 수 없음)", profileImage: nil)
    }
}

extension Error {
    /// Whether a commit that ended so has certainly changed nothing.
    fileprivate var isWithoutEffect: Bool {
        guard let error = self as? PostgresError else { return self is Failure }
        return switch error.kind {
        case .connectionLost, .timeout, .cancelled, .unexpectedColumn: false
        default: true
        }
    }
}
