import EventLoop
import HTTP
import Synchronization
import Wire

@testable import ServiceKit

/// An object store that fails as a test asks. It keeps objects in memory and checks no signatures.
final class S3StandIn: Sendable {
    struct State {
        var objects: [String: [UInt8]] = [:]
        var digests: [String: String] = [:]
        /// The parts of the one upload.
        var parts: [Int: [UInt8]] = [:]
        /// Replies before the next call is served.
        var failures: [Status] = []
        /// The status of every completion, which takes effect all the same.
        var completion = Status.ok
        /// Codes of the next completions, which fail after their status 200.
        var lateFailures: [String] = []
        /// Answers later pieces as if the object had changed.
        var changes = false
        /// `GET /files/maru/a`, for each call.
        var calls: [String] = []
        /// Deletions that are answered together: the first ones wait for the last.
        var deletionsTogether = 1
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// Runs before each deletion.
        var beforeDeletion: (@Sendable () -> Void)?
        /// Runs before each part is taken.
        var beforePart: (@Sendable () -> Void)?
    }

    let url: String
    private let server: Server
    private let loops = EventLoopGroup(count: 1)
    private let state = Shared()

    private final class Shared: Sendable {
        let value = Mutex(State())

        func beginPart() {
            let first = value.withLock { $0.beforePart }
            first?()
        }

        /// Returns once as many deletions wait as are answered together.
        func beginDeletion() async {
            let first = value.withLock { $0.beforeDeletion }
            first?()
            await withCheckedContinuation { (caller: CheckedContinuation<Void, Never>) in
                let all = value.withLock { state -> [CheckedContinuation<Void, Never>] in
                    state.waiting.append(caller)
                    guard state.waiting.count >= state.deletionsTogether else { return [] }
                    defer { state.waiting = [] }
                    return state.waiting
                }
                for waiter in all { waiter.resume() }
            }
        }
    }

    init() throws {
        let state = state
        server = Server(on: loops) { request in
            let body = try await request.body.collect(upTo: 64 << 20)
            if request.method == .delete { await state.beginDeletion() }
            if request.method == .put, request.query?.isEmpty == false { state.beginPart() }
            return state.value.withLock { $0.reply(to: request, body) }
        }
        url = "http://127.0.0.1:\(try server.start(at: SocketAddress(ip: "127.0.0.1", port: 0)!).port)"
    }

    deinit { loops.stop() }

    func change(_ change: (inout State) -> Void) { state.value.withLock { change(&$0) } }

    var now: State { state.value.withLock(\.self) }

    func stop() async { await server.stop() }
}

extension S3StandIn.State {
    mutating func reply(to request: Request, _ body: [UInt8]) -> Response {
        let path = String(decoding: request.path, as: UTF8.self)
        let query = request.query.map { String(decoding: $0, as: UTF8.self) } ?? ""
        calls.append("\(request.methodText) \(path)")
        if !failures.isEmpty { return Response(failures.removeFirst()) }
        switch (request.method, query) {
        case (.put, ""):
            objects[path] = body
            digests[path] = request.headers["X-Amz-Meta-Sha256"].map { String(decoding: $0, as: UTF8.self) }
            return Response(.ok)
        case (.put, _):
            parts[parts.count + 1] = body
            return Response(.ok, headers: ["ETag": "\"part\""])
        case (.post, "uploads="):
            digests[path] = request.headers["X-Amz-Meta-Sha256"].map { String(decoding: $0, as: UTF8.self) }
            return Response(.ok, body: .bytes(Array("<UploadId>one</UploadId>".utf8)))
        case (.post, _):
            if !lateFailures.isEmpty {
                let code = lateFailures.removeFirst()
                return Response(.ok, body: .bytes(Array("<Error><Code>\(code)</Code></Error>".utf8)))
            }
            objects[path] = parts.sorted { $0.key < $1.key }.flatMap(\.value)
            return Response(completion, body: .bytes(Array("<ETag>whole</ETag>".utf8)))
        case (.get, _): return piece(of: path, request)
        default: return Response(.noContent)
        }
    }

    private func piece(of path: String, _ request: Request) -> Response {
        guard let object = objects[path] else { return Response(.notFound) }
        if changes, request.headers["If-Match"] != nil { return Response(Status(412)) }
        let range = request.headers[.range].map { String(decoding: $0, as: UTF8.self) } ?? ""
        let first = range.dropFirst(6).split(separator: "-").first.flatMap { Int($0) } ?? 0
        let last = min(range.split(separator: "-").last.flatMap { Int($0) } ?? 0, object.count - 1)
        var headers: Headers = ["ETag": "\"1\"", "Content-Range": "bytes \(first)-\(last)/\(object.count)"]
        if let digest = digests[path] { headers.append("X-Amz-Meta-Sha256", digest) }
        return Response(.partialContent, headers: headers, body: .bytes(Array(object[first...last])))
    }
}
