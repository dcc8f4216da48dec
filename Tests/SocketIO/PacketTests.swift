import Testing
import WebSocket
import Wire

@testable import SocketIO

@Suite("Packets of Socket.IO")
struct PacketTests {
    private static func packet(
        _ kind: SocketIOPacket.Kind, in namespace: String = "/", id: UInt64? = nil, _ payload: String? = nil,
        attachments: [[UInt8]] = []
    ) -> SocketIOPacket {
        var packet = SocketIOPacket(kind, in: namespace, id: id, payload: payload.map { Array($0.utf8) })
        packet.attachments = attachments
        return packet
    }

    private static let one = #"{"_placeholder":true,"num":0}"#
    private static let two = #"{"_placeholder":true,"num":1}"#

    /// The tables of the protocol document.
    private static let examples: [(packet: SocketIOPacket, text: String)] = [
        (packet(.connect), "0"),
        (packet(.connect, #"{"sid":"wZX3oN0bSVIhsaknAAAI"}"#), #"0{"sid":"wZX3oN0bSVIhsaknAAAI"}"#),
        (packet(.connect, in: "/admin"), "0/admin,"),
        (packet(.connect, in: "/admin", #"{"sid":"oSO0OpakMV"}"#), #"0/admin,{"sid":"oSO0OpakMV"}"#),
        (packet(.connectError, #"{"message":"Not authorized"}"#), #"4{"message":"Not authorized"}"#),
        (packet(.event, #"["foo"]"#), #"2["foo"]"#),
        (packet(.event, in: "/admin", #"["bar"]"#), #"2/admin,["bar"]"#),
        (packet(.event, "[\"baz\",\(one)]", attachments: [[1, 2, 3, 4]]), "51-[\"baz\",\(one)]"),
        (
            packet(.event, in: "/admin", "[\"baz\",\(one),\(two)]", attachments: [[1, 2], [3, 4]]),
            "52-/admin,[\"baz\",\(one),\(two)]"
        ),
        (packet(.event, id: 12, #"["foo"]"#), #"212["foo"]"#),
        (packet(.acknowledgement, id: 12, "[]"), "312[]"),
        (packet(.event, in: "/admin", id: 13, #"["foo"]"#), #"2/admin,13["foo"]"#),
        (packet(.acknowledgement, in: "/admin", id: 13, #"["bar"]"#), #"3/admin,13["bar"]"#),
        (packet(.event, id: 14, "[\"foo\",\(one)]", attachments: [[1, 2, 3, 4]]), "51-14[\"foo\",\(one)]"),
        (packet(.acknowledgement, id: 15, "[\"bar\",\(one)]", attachments: [[1]]), "61-15[\"bar\",\(one)]"),
        (packet(.disconnect), "1"),
        (packet(.disconnect, in: "/admin"), "1/admin,"),
    ]

    @Test("Packets are written as in the protocol document")
    func writing() {
        for (packet, text) in Self.examples {
            #expect(packet.messages == [.text(text)] + packet.attachments.map { .binary($0) })
        }
    }

    @Test("Packets are read as in the protocol document")
    func reading() throws {
        for (packet, text) in Self.examples where packet.kind != .connectError {
            var decoder = PacketDecoder(PacketLimits())
            var messages = [Message.text(text)] + packet.attachments.map { .binary($0) }
            let last = messages.removeLast()
            for message in messages { #expect(try decoder.decode(message) == nil) }
            let read = try #require(try decoder.decode(last))
            #expect(read.namespace == packet.namespace && read.id == packet.id)
            #expect(read.payload?.text == packet.payload && read.attachments == packet.attachments)
        }
    }

    @Test("A namespace may lack its comma if nothing follows it")
    func namespaceAtTheEnd() throws {
        var decoder = PacketDecoder(PacketLimits())
        #expect(try decoder.decode(.text("0/random"))?.namespace == "/random")
        #expect(try decoder.decode(.text("1/custom"))?.namespace == "/custom")
    }

    @Test(
        "Malformed packets are refused",
        arguments: [
            "", "7", "x", "abc", "4", #"4{"message":"x"}"#, "2", "2{}", "2[]", "2[null]", "2[{}]", "2[[\"a\"]]",
            #"2["a""#,
            #"2["a"]x"#, #"2abc["a"]"#, #"2-1["a"]"#, #"2["connect"]"#, #"2["disconnect"]"#, #"2["newListener"]"#,
            "3[]",
            "31", "31{}", "0[]", #"0"x""#, "0null", "1[]", "1{}", #"5["a"]"#, #"51["a"]"#, #"50-["a"]"#, #"511-["a"]"#,
            #"5x-["a"]"#, #"5-["a"]"#, #"599999999999999999999-["a"]"#, #"299999999999999999999["a"]"#,
            #"51-["a",{"_placeholder":true,"num":1}]"#, #"51-["a",{"_placeholder":true,"num":-1}]"#,
            #"51-["a",{"b":[{"_placeholder":true}]}]"#, #"51-["a",{"_placeholder":true,"num":"0"}]"#,
        ])
    func malformed(text: String) {
        var decoder = PacketDecoder(PacketLimits())
        #expect(throws: PacketError.self) { try decoder.decode(.text(text)) }
    }

    @Test("An event's name may be a number, and an event may contain something that only looks like a placeholder")
    func oddEvents() throws {
        var decoder = PacketDecoder(PacketLimits())
        #expect(try decoder.decode(.text("2[1,2]")) != nil)
        #expect(try decoder.decode(.text(#"2["a",{"_placeholder":true,"num":9}]"#)) != nil)
        #expect(try decoder.decode(.text(#"51-["a",{"_placeholder":false,"num":9}]"#)) == nil)
    }

    @Test("Text between attachments and unannounced attachments are refused")
    func outOfTurn() throws {
        var decoder = PacketDecoder(PacketLimits())
        #expect(throws: PacketError.outOfTurn) { try decoder.decode(.binary([1])) }
        #expect(try decoder.decode(.text("52-[\"a\"]")) == nil)
        #expect(try decoder.decode(.binary([1])) == nil)
        #expect(throws: PacketError.outOfTurn) { try decoder.decode(.text("2[\"a\"]")) }
        #expect(try decoder.decode(.binary([2]))?.attachments == [[1], [2]])
        #expect(throws: PacketError.outOfTurn) { try decoder.decode(.binary([1])) }
    }

    @Test("Attachments, depth and namespaces are limited")
    func limits() throws {
        var limits = PacketLimits()
        limits.attachments = 2
        limits.attachmentBytes = 10
        limits.depth = 4
        limits.namespaceLength = 8
        var decoder = PacketDecoder(limits)
        #expect(throws: PacketError.badAttachments) { try decoder.decode(.text("53-[\"a\"]")) }
        #expect(throws: PacketError.badPayload) { try decoder.decode(.text("2[\"a\",[[[[]]]]]")) }
        #expect(try decoder.decode(.text("2[\"a\",[[[]]]]")) != nil)
        #expect(throws: PacketError.badNamespace) { try decoder.decode(.text("0/12345678,")) }
        #expect(try decoder.decode(.text("0/1234567,")) != nil)
        #expect(try decoder.decode(.text("52-[\"a\"]")) == nil)
        #expect(try decoder.decode(.binary([UInt8](repeating: 0, count: 10))) == nil)
        #expect(throws: PacketError.badAttachments) { try decoder.decode(.binary([0])) }
    }

    @Test("Events and acknowledgements consist of a name and the written arguments")
    func making() {
        let event = SocketIOPacket.event("channel", in: "/ws-channel-5") { json in
            json.object { $0.field("content", "안녕") }
        }
        #expect(String(decoding: event.text, as: UTF8.self) == #"2/ws-channel-5,["channel",{"content":"안녕"}]"#)
        #expect(SocketIOPacket.acknowledgement(of: 7, in: "/").text == Array("37[]".utf8))
    }
}
