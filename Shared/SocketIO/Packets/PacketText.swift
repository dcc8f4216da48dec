internal import Wire

/// Reads the text of a packet: `<type>[<attachments>-][<namespace>,][<id>][<JSON>]`.
struct PacketText {
    private(set) var packet: ReceivedPacket
    /// The number of attachments that follow.
    private(set) var attachmentCount = 0

    /// Event names that are reserved by the libraries of clients and servers.
    private static let reservedNames: Set<String> = [
        "connect", "connect_error", "disconnect", "disconnecting", "newListener", "removeListener",
    ]

    init(_ bytes: [UInt8], _ limits: PacketLimits) throws(PacketError) {
        var rest = bytes[...]
        guard let digit = rest.popFirst(), digit >= UInt8(ascii: "0"),
            let kind = SocketIOPacket.Kind(rawValue: digit - UInt8(ascii: "0"))
        else { throw .unknownType }
        switch kind {
        case .connect: packet = ReceivedPacket(kind: .connect, namespace: "/")
        case .disconnect: packet = ReceivedPacket(kind: .disconnect, namespace: "/")
        case .event, .binaryEvent: packet = ReceivedPacket(kind: .event, namespace: "/")
        case .acknowledgement, .binaryAcknowledgement:
            packet = ReceivedPacket(kind: .acknowledgement, namespace: "/")
        // Only servers send this type.
        case .connectError: throw .unknownType
        }
        if kind == .binaryEvent || kind == .binaryAcknowledgement {
            attachmentCount = try Self.attachmentCount(&rest, limits)
        }
        if rest.first == UInt8(ascii: "/") { packet.namespace = try Self.namespace(&rest, limits) }
        packet.id = try Self.id(&rest)
        packet.payload = try Self.json(rest, limits)
        try check()
        if attachmentCount > 0, let payload = packet.payload {
            guard Self.placeholdersFit(payload, attachmentCount) else { throw .badAttachments }
        }
    }

    private static func digits(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        rest = rest[digits.endIndex...]
        return digits
    }

    private static func attachmentCount(
        _ rest: inout ArraySlice<UInt8>, _ limits: PacketLimits
    ) throws(PacketError) -> Int {
        guard let count = Int(String(decoding: digits(&rest), as: UTF8.self)), rest.popFirst() == UInt8(ascii: "-"),
            (1...max(1, limits.attachments)).contains(count)
        else { throw .badAttachments }
        return count
    }

    private static func namespace(_ rest: inout ArraySlice<UInt8>, _ limits: PacketLimits) throws(PacketError) -> String
    {
        let name = rest.prefix { $0 != UInt8(ascii: ",") }
        guard name.count <= limits.namespaceLength else { throw .badNamespace }
        rest = rest[name.endIndex...].dropFirst()
        return String(decoding: name, as: UTF8.self)
    }

    private static func id(_ rest: inout ArraySlice<UInt8>) throws(PacketError) -> UInt64? {
        let digits = digits(&rest)
        guard !digits.isEmpty else { return nil }
        guard let id = UInt64(String(decoding: digits, as: UTF8.self)) else { throw .badID }
        return id
    }

    private static func json(_ rest: ArraySlice<UInt8>, _ limits: PacketLimits) throws(PacketError) -> JSONValue? {
        guard !rest.isEmpty else { return nil }
        guard let value = try? JSONValue(parsing: Array(rest), maximumDepth: limits.depth) else { throw .badPayload }
        return value
    }

    private func check() throws(PacketError) {
        let isRight =
            switch packet.kind {
            case .connect: packet.payload.map { $0.kind == .object } ?? true
            case .disconnect: packet.payload == nil
            case .event: packet.payload?.elements.map(Self.isEvent) ?? false
            case .acknowledgement: packet.payload?.kind == .array && packet.id != nil
            }
        guard isRight else { throw .badPayload }
    }

    private static func isEvent(_ elements: JSONElements) -> Bool {
        guard let name = elements.first(where: { _ in true }) else { return false }
        return name.kind == .number || name.string.map { !reservedNames.contains($0) } ?? false
    }

    private static func placeholdersFit(_ value: JSONValue, _ count: Int) -> Bool {
        if let elements = value.elements { return elements.allSatisfy { placeholdersFit($0, count) } }
        guard let members = value.members else { return true }
        if value.bool("_placeholder") == true { return value.int("num").map { (0..<count).contains($0) } ?? false }
        return members.allSatisfy { placeholdersFit($0.value, count) }
    }
}
