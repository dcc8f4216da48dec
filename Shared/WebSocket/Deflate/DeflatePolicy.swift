/// The permessage-deflate parameters that a server or client aims for.
///
/// By default neither side keeps a context between messages. Then no socket holds zlib memory, all sockets of a loop share
/// one deflater and one inflater, and a broadcast is compressed once.
public struct DeflatePolicy: Sendable {
    /// Lets the server's messages refer to earlier ones; costs a `Deflater` for each socket.
    public var keepsServerContext = false
    /// Lets the client's messages refer to earlier ones; costs about 40 KiB for each socket.
    public var keepsClientContext = false
    /// The server's messages refer back at most 2 to this power bytes, 8 to 15. Default 15.
    public var serverWindowBits = 15
    /// The client's messages refer back at most 2 to this power bytes, if the client supports the limit. Default 15.
    public var clientWindowBits = 15
    /// zlib's level, from 1 (fast) to 9 (small). Default 1.
    public var level = 1
    /// zlib's memory level, 1 to 9. Default 8.
    public var memoryLevel = 8
    /// Shorter messages are not compressed. Default 256 bytes.
    public var minimumSize = 256

    /// The defaults.
    public init() {}

    /// Answers the first acceptable offer, as parameters and as header value; nil declines all offers.
    func answer(to offers: [HandshakeExtension]) -> (parameters: DeflateParameters, header: String)? {
        guard let offer = offers.lazy.compactMap(DeflateOffer.init).first else { return nil }
        var answer = DeflateOffer()
        answer.serverNoContextTakeover = offer.serverNoContextTakeover || !keepsServerContext
        answer.clientNoContextTakeover = offer.clientNoContextTakeover || !keepsClientContext
        let serverBits = min(serverWindowBits, offer.serverMaxWindowBits ?? 15)
        if serverBits < 15 || offer.serverMaxWindowBits != nil { answer.serverMaxWindowBits = serverBits }
        var clientBits = 15
        switch offer.clientMaxWindowBits {
        case .any: clientBits = clientWindowBits
        case .atMost(let bits): clientBits = min(bits, clientWindowBits)
        case nil: break
        }
        if clientBits < 15 { answer.clientMaxWindowBits = .atMost(clientBits) }
        return (DeflateParameters(agreed: answer), answer.header)
    }

    /// The client's offer.
    var offer: DeflateOffer {
        var offer = DeflateOffer()
        offer.serverNoContextTakeover = !keepsServerContext
        offer.clientNoContextTakeover = !keepsClientContext
        if serverWindowBits < 15 { offer.serverMaxWindowBits = serverWindowBits }
        offer.clientMaxWindowBits = clientWindowBits < 15 ? .atMost(clientWindowBits) : .any
        return offer
    }

    /// Reads a server's answer to `offer`; nil if it contains something that was not offered (RFC 7692 §7.1).
    func accept(_ answer: HandshakeExtension) -> DeflateParameters? {
        guard let answer = DeflateOffer(answer), answer.clientMaxWindowBits != .any else { return nil }
        if !keepsServerContext && !answer.serverNoContextTakeover { return nil }
        if let asked = offer.serverMaxWindowBits {
            guard let bits = answer.serverMaxWindowBits, bits <= asked else { return nil }
        }
        var parameters = DeflateParameters(agreed: answer)
        parameters.clientKeepsContext = parameters.clientKeepsContext && keepsClientContext
        parameters.clientWindowBits = min(parameters.clientWindowBits, clientWindowBits)
        return parameters
    }
}

extension DeflateParameters {
    fileprivate init(agreed answer: DeflateOffer) {
        serverKeepsContext = !answer.serverNoContextTakeover
        clientKeepsContext = !answer.clientNoContextTakeover
        serverWindowBits = answer.serverMaxWindowBits ?? 15
        if case .atMost(let bits) = answer.clientMaxWindowBits { clientWindowBits = bits }
    }
}
