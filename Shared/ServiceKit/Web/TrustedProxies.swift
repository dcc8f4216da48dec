internal import EventLoop
internal import HTTP
internal import Telemetry
internal import Wire

/// The API gateways whose forwarding headers are trusted.
struct TrustedProxies: Sendable {
    private let addresses: [String]
    private let trustsAll: Bool

    /// - Parameter addresses: numeric addresses; `*` trusts every peer, for a network that only the gateway can reach.
    init(_ addresses: [String]) {
        self.addresses = addresses
        trustsAll = addresses.contains("*")
    }

    /// The origin of `request`.
    func origin(of request: Request) -> CallOrigin {
        CallOrigin(request: request, isGateway: trustsAll || addresses.contains(request.peerHost))
    }
}

/// The origin of a call: address, request id and scheme, by the headers of a trusted gateway or by the peer.
struct CallOrigin {
    let request: Request
    /// Whether the peer is a trusted API gateway.
    let isGateway: Bool

    /// The client's address: the last one in the gateway's X-Forwarded-For, or the peer's own.
    var address: String {
        let peer = request.peerHost
        guard isGateway, let forwarded = request.headers.last(.forwardedFor) else { return peer }
        let last = forwarded.split(separator: UInt8(ascii: ",")).last.map { String(decoding: $0, as: UTF8.self) }
        return last.map { String($0.trimmingSpaces) } ?? peer
    }

    /// The id that the gateway has given the call.
    var requestID: RequestID? {
        isGateway ? request.headers.withValue(of: .requestID) { RequestID($0) } : nil
    }

    /// Whether the client uses TLS to the gateway.
    var isSecure: Bool {
        guard isGateway, let scheme = request.headers[.forwardedProto] else { return false }
        return scheme.elementsEqual("https".utf8)
    }
}
