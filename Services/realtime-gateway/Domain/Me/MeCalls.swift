import Contract
import EngineIO
import EventLoop
import ServiceKit
import SocketIO
import Telemetry
import Wire

/// The events that one `/me` client sends: checks, forwards and acknowledges them.
///
/// Messages of one socket are sent one after the other, so that they keep their order.
///
/// - Note: `@unchecked Sendable` because it is confined to its socket's loop.
final class MeCalls: @unchecked Sendable {
    /// Nil once the socket has ended, while calls may still be under way.
    private weak var socket: MeSocket?
    private let context: ShardContext
    private let loop: EventLoop
    private let presence: PresenceHub
    private var limiter: MeCallLimiter
    private var typing = TypingThrottle()
    private var sends: [(call: MeSendRequest, reply: Acknowledgement)] = []
    private var isSending = false

    /// Where the outcome of a call goes.
    private struct Acknowledgement {
        /// Nil if the client wants none.
        let id: UInt64?
        /// Nil if the call is not traced.
        var trace: MeCallTrace?
    }

    init(of socket: MeSocket, _ shard: GatewayShard) {
        self.socket = socket
        context = shard.context
        loop = shard.loop
        presence = shard.me.presence
        limiter = MeCallLimiter(context.me.limits, now: EventLoop.preciseNow)
    }

    func received(_ event: SocketIOEvent) {
        guard let socket else { return }
        switch limiter.begin(now: EventLoop.preciseNow) {
        case .admitted: break
        case .refused(let wait): return answer(.tooManyCalls(retryAfter: wait), to: event.id)
        case .close: return socket.engine.close()
        }
        do throws(Failure) {
            var arguments = event.arguments.makeIterator()
            let call = try MeCall(event.name, arguments.next())
            try socket.caller.require(call.botScope)
            try begin(call, named: event.name, event.id, of: socket)
        } catch {
            finish(Acknowledgement(id: event.id), .failure(error))
        }
    }

    private func begin(_ call: MeCall, named name: String, _ id: UInt64?, of socket: MeSocket) throws(Failure) {
        var reply: Acknowledgement { Acknowledgement(id: id, trace: context.metrics.beginCall(name)) }
        switch call {
        case .send(let room, let content, let clientID, let thread, let toRoom):
            let request = MeSendRequest(
                caller: socket.meCaller, room: room, content: content, clientID: clientID, thread: thread,
                toRoom: toRoom)
            sends.append((request, reply))
            if !isSending { sendAll() }
        case .read(let room, let seq, let thread):
            forward(MeReadRequest(caller: socket.meCaller, room: room, seq: seq, thread: thread), reply)
        case .history(let room, let anchor, let limit):
            read(MeHistoryRequest(caller: socket.meCaller, room: room, anchor: anchor, limit: limit), reply, of: socket)
        case .typing(let room, let thread):
            guard socket.isIn(room) else { throw socket.lacksRooms ? .unavailable : .notFound }
            if socket.own.sharesTyping, typing.admit(room, now: EventLoop.preciseNow) {
                context.publisher.publish(.typing(room: room, user: socket.user, thread: thread))
            }
            finish(Acknowledgement(id: id), .success(Self.done))
        case .presence(let users, let isAway):
            if let isAway { socket.note(isAway: isAway) }
            guard let users else { return finish(Acknowledgement(id: id), .success(Self.done)) }
            watch(users, reply, of: socket)
        }
    }

    private func watch(_ users: Set<UserID>, _ reply: Acknowledgement, of socket: MeSocket) {
        perform(reply) { [presence] in
            try await presence.watch(users, by: socket)
            return Self.done
        }
    }

    private func sendAll() {
        isSending = true
        Task.immediate(executorPreference: loop) { [self] in
            while !sends.isEmpty {
                let (call, reply) = sends.removeFirst()
                let outcome = await outcome(reply.trace) { [chat = context.chat] in try await chat.perform(call) }
                finish(reply, outcome)
            }
            isSending = false
        }
    }

    private func forward<Request: InternalRequest>(_ request: Request, _ reply: Acknowledgement)
    where Request.Reply == MeReply {
        perform(reply) { [chat = context.chat] in try await chat.perform(request) }
    }

    /// Reads history at the pace of the socket. The pages of many rooms at once are more than may wait in it.
    private func read(_ request: MeHistoryRequest, _ reply: Acknowledgement, of socket: MeSocket) {
        perform(reply) { [chat = context.chat] in
            try await socket.backpressure.historyReads.run {
                await socket.waitForRoom()
                guard !socket.isEnded else { throw Failure.unavailable }
                let page = try await chat.perform(request)
                // The pages of other rooms may have used the socket's room meanwhile.
                await socket.waitForRoom()
                return page
            }
        }
    }

    private func perform(_ reply: Acknowledgement, _ body: @escaping @Sendable () async throws -> [UInt8]) {
        Task.immediate(executorPreference: loop) { [self] in finish(reply, await outcome(reply.trace, body)) }
    }

    private func outcome(
        _ trace: MeCallTrace?, _ body: @Sendable () async throws -> [UInt8]
    ) async -> Result<[UInt8], Failure> {
        do {
            guard let trace else { return .success(try await body()) }
            return .success(try await CallContext.$current.withValue(trace.context) { try await body() })
        } catch {
            return .failure(error as? Failure ?? .unavailable)
        }
    }

    // MARK: Acknowledgements

    private static let done = Array("{}".utf8)

    private func finish(_ reply: Acknowledgement, _ outcome: Result<[UInt8], Failure>) {
        limiter.finished()
        switch outcome {
        case .success(let result):
            acknowledge(reply.id) { $0.raw(result) }
            reply.trace?.end(nil)
        case .failure(let failure):
            answer(failure, to: reply.id)
            reply.trace?.end(failure)
        }
    }

    private func answer(_ failure: Failure, to id: UInt64?) {
        acknowledge(id) { json in
            json.object { json in
                json.field("errorCode", failure.code.rawValue)
                json.field("detail", failure.detail)
                if let wait = failure.retryAfter { json.field("retryAfter", wait / .seconds(1)) }
            }
        }
    }

    private func acknowledge(_ id: UInt64?, _ write: (inout JSONWriter) -> Void) {
        guard let id, let socket, !socket.isEnded else { return }
        socket.client.send(.acknowledgement(of: id, in: MeEvent.namespace, arguments: write))
    }
}
