/// What a server or client wants of permessage-deflate.
///
/// By default neither side keeps a context between messages: then no socket holds zlib memory, all of a loop share one
/// deflater and one inflater, and a broadcast is compressed once for all.
public struct DeflatePolicy: Sendable {
    /// Lets the server's messages refer to earlier ones; costs `Deflater`'s memory a socket.
    public var keepsServerContext = false
    /// Lets the client's messages refer to earlier ones; costs about 40 KiB a socket.
    public var keepsClientContext = false
    /// At most so far back reach the server's messages: 2 to this power, 8 to 15. Default 15.
    public var serverWindowBits = 15
    /// At most so far back reach the client's messages, where it lets itself be told. Default 15.
    public var clientWindowBits = 15
    /// zlib's level: 1 is fast, 9 small. Default 1.
    public var level = 1
    /// zlib's memory level, 1 to 9. Default 8.
    public var memoryLevel = 8
    /// Messages of fewer bytes go out as they are. Default 256.
    public var minimumSize = 256

    /// The policy of the defaults.
    public init() {}

    /// The answer to the first offer that can be accepted, as parameters and as header value; nil declines them all.
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

    /// What a client asks for.
    var offer: DeflateOffer {
        var offer = DeflateOffer()
        offer.serverNoContextTakeover = !keepsServerContext
        offer.clientNoContextTakeover = !keepsClientContext
        if serverWindowBits < 15 { offer.serverMaxWindowBits = serverWindowBits }
        offer.clientMaxWindowBits = clientWindowBits < 15 ? .atMost(clientWindowBits) : .any
        return offer
    }

    /// What a server's answer to `offer` comes to; nil where it answers what was not asked (RFC 7692 §7.1).
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
