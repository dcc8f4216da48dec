internal import EventLoop
internal import HTTP
internal import Telemetry
internal import Wire

/// The API gateways whose word is taken for where a call comes from.
struct TrustedProxies: Sendable {
    private let addresses: [String]
    private let trustsAll: Bool

    /// Numeric addresses; `*` trusts every peer, for a network that only the gateway can reach.
    init(_ addresses: [String]) {
        self.addresses = addresses
        trustsAll = addresses.contains("*")
    }

    /// Where `request` comes from.
    func origin(of request: Request) -> CallOrigin {
        CallOrigin(request: request, isGateway: trustsAll || addresses.contains(request.peerHost))
    }
}

/// Where a call comes from, and what is believed of its way.
struct CallOrigin {
    let request: Request
    /// Whether the peer is an API gateway whose word is taken.
    let isGateway: Bool

    /// The client's address: what the gateway added last, or the peer itself.
    var address: String {
        let peer = request.peerHost
        guard isGateway, let forwarded = request.headers.last(.forwardedFor) else { return peer }
        let last = forwarded.split(separator: UInt8(ascii: ",")).last.map { String(decoding: $0, as: UTF8.self) }
        return last.map { String($0.trimmingSpaces) } ?? peer
    }

    /// The gateway's id of the call.
    var requestID: RequestID? {
        isGateway ? request.headers.withValue(of: .requestID) { RequestID($0) } : nil
    }

    /// Whether the gateway says that the client speaks TLS to it.
    var isSecure: Bool {
        guard isGateway, let scheme = request.headers[.forwardedProto] else { return false }
        return scheme.elementsEqual("https".utf8)
    }
}
