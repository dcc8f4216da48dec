internal import EventLoop
internal import HTTP
internal import Telemetry
internal import Wire

/// The API gateways whose word is taken for where a call comes from.
struct TrustedProxies: Sendable {
    private let addresses: Set<String>

    /// Numeric addresses; `*` trusts every peer, for a network that only the gateway can reach.
    init(_ addresses: [String]) { self.addresses = Set(addresses) }

    /// The client's address: what the gateway added last, or the peer itself.
    func address(of request: Request) -> String {
        let peer = request.peer?.host ?? ""
        guard trusts(peer), let forwarded = request.headers.all(.forwardedFor).last else { return peer }
        let last = forwarded.split(separator: UInt8(ascii: ",")).last.map { String(decoding: $0, as: UTF8.self) }
        return last.map { String($0.trimmingSpaces) } ?? peer
    }

    /// The gateway's id of the call.
    func requestID(of request: Request) -> RequestID? {
        guard let text = request.headers[.requestID], trusts(request.peer?.host ?? "") else { return nil }
        return RequestID(text.span)
    }

    /// Whether the gateway says that the client speaks TLS to it.
    func isSecure(_ request: Request) -> Bool {
        trusts(request.peer?.host ?? "") && request.headers[.forwardedProto].map { Array($0) } == Array("https".utf8)
    }

    private func trusts(_ peer: String) -> Bool { addresses.contains("*") || addresses.contains(peer) }
}
