internal import Crypto
internal import EventLoop
public import HTTP
internal import Telemetry
internal import Wire

/// The API gateways whose forwarding headers are trusted.
///
/// A gateway has one of the addresses, and shows the gateway credential if there is one. The address alone proves little
/// where other processes share it, such as all processes of a machine on the loopback address.
public struct TrustedProxies: Sendable {
    private let addresses: [String]
    private let trustsAll: Bool
    private let credential: [UInt8]

    /// - Parameters:
    ///   - addresses: numeric addresses; `*` trusts every peer, for a network that only the gateway can reach.
    ///   - credential: the secret that a gateway shows with each request; empty for none.
    init(_ addresses: [String], credential: [UInt8] = []) {
        self.addresses = addresses
        trustsAll = addresses.contains("*")
        self.credential = credential
    }

    /// The origin of `request`.
    public func origin(of request: Request) -> CallOrigin {
        CallOrigin(request: request, isGateway: isGateway(request))
    }

    private func isGateway(_ request: Request) -> Bool {
        guard trustsAll || addresses.contains(request.peerHost) else { return false }
        guard !credential.isEmpty else { return true }
        return request.headers.withValue(of: .gatewayCredential) { ConstantTime.areEqual($0, credential.span) } ?? false
    }
}

/// The origin of a call: address, request id and scheme, by the headers of a trusted gateway or by the peer.
public struct CallOrigin {
    let request: Request
    /// Whether the peer is a trusted API gateway.
    let isGateway: Bool

    /// The client's address: the last one in the gateway's X-Forwarded-For, or the peer's own.
    public var address: String {
        let peer = request.peerHost
        guard isGateway, let forwarded = request.headers.last(.forwardedFor) else { return peer }
        let last = forwarded.split(separator: UInt8(ascii: ",")).last.map { String(decoding: $0, as: UTF8.self) }
        return last.map { String($0.trimmingSpaces) } ?? peer
    }

    /// The id that the gateway has given the call.
    var requestID: RequestID? {
        isGateway ? request.headers.withValue(of: .requestID) { RequestID($0) } : nil
    }

    /// When the gateway received the call, in nanoseconds since 1970: the gateway sends the present and the seconds since then.
    var gatewayStart: UInt64? {
        guard isGateway, let times = request.headers[.requestStart] else { return nil }
        let seconds = times.split(separator: UInt8(ascii: " ")).map { Double(String(decoding: $0, as: UTF8.self)) }
        guard seconds.count == 2, let now = seconds[0], let past = seconds[1], past >= 0, now > past, now < 1e10 else {
            return nil
        }
        return UInt64((now - past) * 1000) * 1_000_000
    }

    /// Whether the client uses TLS to the gateway.
    public var isSecure: Bool {
        guard isGateway, let scheme = request.headers[.forwardedProto] else { return false }
        return scheme.elementsEqual("https".utf8)
    }
}
