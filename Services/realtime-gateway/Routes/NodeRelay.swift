import Contract
import EventLoop
import HTTP
import Telemetry
import Wire

/// Forwards requests for sessions of other nodes to them, so that the API gateway may route a client to any node.
struct NodeRelay: Sendable {
    /// The loops that serve the clients.
    let loops: EventLoopGroup
    let directory: NodeDirectory
    let http: HTTPClient
    let credential: String
    /// The threads that look host names up.
    let pool: BlockingPool
    /// The largest body of a client's request.
    let maximumPayload: Int
    /// How long a poll may wait for a message.
    let timeout: Duration
    /// How long the owner of a WebSocket's session may take to accept a connection, and then to answer.
    let tunnelTimeout: Duration

    /// Names of headers that go to the owner, and that come back from it.
    private static let there: [HeaderName] = [.contentType, .origin]
    private static let back: [HeaderName] =
        [.contentType, .cacheControl, .vary, .retryAfter]
        + ["Access-Control-Allow-Origin", "Access-Control-Allow-Credentials"].compactMap(HeaderName.init)
    /// The first event of a `/me` socket has all rooms of its user.
    private static let replyLimit = StartsRequest.largestReply

    /// The owner's reply; nil if there is no owner, or it does not answer.
    func respond(to request: Request, of node: String) async -> Response? {
        guard let address = await directory.address(of: node) else { return nil }
        if request.headers.lists("websocket", in: .upgrade) { return await tunnel(request, to: address) }
        return try? await pass(request, to: address)
    }

    private func pass(_ request: Request, to address: String) async throws -> Response {
        let body: [UInt8]
        do {
            body = try await request.body.collect(upTo: maximumPayload)
        } catch BodyError.tooLarge {
            return Response(.contentTooLarge)
        }
        var relayed = HTTPClient.Request(request.method, "http://\(address)\(Self.target(of: request))", body: body)
        relayed.deadline = timeout
        // A repeated poll would lose the messages of the first one.
        relayed.isIdempotent = false
        relayed.maximumReplySize = Self.replyLimit
        relayed.headers.append(.authorization, "Bearer " + credential)
        for name in Self.there {
            if let value = request.headers.text(name) { relayed.headers.append(name, value) }
        }
        let reply = try await http.send(relayed)
        var response = Response(reply.status, body: .bytes(reply.body))
        for name in Self.back {
            if let value = reply.headers[name] { response.headers.append(name, value) }
        }
        return response
    }

    static func target(of request: Request) -> String {
        RelayRoutes.path + "?" + String(decoding: request.query ?? [], as: UTF8.self)
    }
}
