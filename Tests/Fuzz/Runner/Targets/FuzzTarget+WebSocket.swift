@testable import WebSocket

extension FuzzTarget {
    /// Without rates, a client's bytes give the same result however they are cut. No message is delivered that is too large or not
    /// text, and there is one end. The first byte selects the pieces, the negotiated extensions and the rates.
    static let webSocket = FuzzTarget { bytes in
        guard let choice = bytes.first else { return }
        var deflate: DeflateParameters?
        if choice & 1 == 1 {
            var parameters = DeflateParameters()
            parameters.clientKeepsContext = choice & 2 == 0
            parameters.serverKeepsContext = choice & 4 == 0
            deflate = parameters
        }
        let input = Array(bytes.dropFirst())
        let rates = ReceiveRates(
            frames: .init(perSecond: 1, burst: 20), inflatedBytes: .init(perSecond: 1, burst: 3000))
        let chosen = choice & 8 == 0 ? nil : rates
        let whole = actions(for: input, in: max(1, input.count), deflate, chosen)
        let cut = actions(for: input, in: Int(choice >> 3) + 1, deflate, chosen)
        // Frames that arrive together are counted together, so a rate may end the connection at another frame.
        require(chosen != nil || whole == cut, "cut otherwise it comes to something else")
    }

    private static let limit = 1000

    private static func actions(
        for bytes: [UInt8], in pieces: Int, _ deflate: DeflateParameters?, _ rates: ReceiveRates?
    ) -> [WebSocketMachine.Action] {
        let limits = SizeLimits(message: limit)
        var machine = WebSocketMachine(
            role: .server, limits: limits, rates: rates, deflate: deflate, pool: CompressionPool())
        var actions: [WebSocketMachine.Action] = []
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            Array(bytes[start..<min(start + pieces, bytes.count)]).withUnsafeBytes { piece in
                var position = 0
                while let action = machine.receive(piece.bytes, from: &position) { actions.append(action) }
                require(position == piece.count, "bytes are left")
            }
        }
        check(actions)
        return actions
    }

    private static func check(_ actions: [WebSocketMachine.Action]) {
        for (index, action) in actions.enumerated() {
            switch action {
            case .deliver(let message):
                require(message.bytes.count <= limit, "a message of \(message.bytes.count) bytes")
                let isText = String(validating: message.bytes, as: UTF8.self) != nil
                require(message.kind == .binary || isText, "a text message is not UTF-8")
            case .finish: require(index == actions.count - 1, "an action follows the end")
            case .write, .deliverPong: break
            }
        }
    }

    /// Any header that parses as extensions can be answered, and a client accepts the answer.
    static let webSocketHandshake = FuzzTarget { bytes in
        let header = String(decoding: bytes, as: UTF8.self)
        let request = HandshakeRequest(method: "GET") { name in
            switch name {
            case "Host": ["x"]
            case "Connection", "Upgrade": ["upgrade, websocket", header]
            case "Sec-WebSocket-Version": ["13"]
            case "Sec-WebSocket-Key": ["dGhlIHNhbXBsZSBub25jZQ=="]
            default: [header]
            }
        }
        var policy = DeflatePolicy()
        policy.keepsClientContext = bytes.count % 2 == 0
        guard let handshake = try? ServerHandshake(answering: request, deflate: policy) else { return }
        for (name, value) in handshake.headers where name == "Sec-WebSocket-Extensions" {
            let answer = HandshakeExtension.parse(value)
            require(answer?.count == 1, "the answer is not one extension")
            require(DeflateOffer(answer![0]) != nil, "the answer is not an extension")
        }
        _ = try? ClientHandshake(host: "x", target: "/", deflate: policy).accept(head: bytes)
    }

    /// Compressed data expands to the original, with any window and after any earlier message; expansion respects its
    /// limit.
    static let deflate = FuzzTarget { bytes in
        guard let choice = bytes.first else { return }
        let bits = 8 + Int(choice & 7)
        let keeps = choice & 8 != 0
        let deflater = Deflater(windowBits: bits, level: 1 + Int(choice >> 4) % 9)
        let inflater = Inflater(windowBits: max(9, bits))
        for part in bytes.dropFirst().split(separator: 0xAA, omittingEmptySubsequences: false) {
            let compressed = deflater.compress(Array(part), keepingContext: keeps)
            let expanded = try? inflater.expand(compressed, keepingContext: keeps, limit: part.count)
            require(expanded == Array(part), "it does not expand to the original")
        }
        let wild = try? inflater.expand(bytes, keepingContext: keeps, limit: 5000)
        require((wild?.count ?? 0) <= 5000, "beyond the limit")
    }
}
