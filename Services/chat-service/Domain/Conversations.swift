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
    let gatewayPositions: GatewayPositions

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

    /// What a reader gets of a range of a room's history: the messages above `after` and up to `through`,
    /// which they have read with that.
    func open(
        _ range: HistoryRange, of room: RoomID, for caller: Caller
    ) async throws -> (after: Int64, through: Int64) {
        let head = try await messages.head(of: room)
        let part = range.part(upTo: head)
        // A page from further up says nothing of how far its reader has come.
        if range.readsForward || part.through == head { try await hasRead(part.through, of: room, by: caller) }
        return part
    }

    /// Moves a read position, never backwards and not beyond the room's head; returns where it is then.
    func moveReadPosition(of user: UserID, in room: RoomID, to seq: Int64) async throws -> Int64 {
        guard seq >= 0 else { throw Failure.invalid("seq must not be negative.") }
        try await positions.move(user, in: room, to: min(seq, try await messages.head(of: room)))
        return try await positions.position(of: user, in: room)
    }

    /// A reply takes the caller up to `seq` of a room; the gateway is told before it leaves.
    private func hasRead(_ seq: Int64, of room: RoomID, by caller: Caller) async throws {
        try await gatewayPositions.tell(caller.session, room, seq)
        if seq > 0 { try await positions.move(caller.user, in: room, to: seq) }
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
