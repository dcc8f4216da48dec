import Foundation
import Testing
import Wire

/// A value to be written and read back.
private indirect enum Sample: Equatable {
    case null, bool(Bool), integer(Int), number(Double), string(String), array([Sample]), object([String: Sample])

    static func random(depth: Int, using generator: inout some RandomNumberGenerator) -> Sample {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &generator) {
        case 0: .null
        case 1: .bool(.random(using: &generator))
        case 2: .integer(Int.random(in: .min ... .max, using: &generator) >> Int.random(in: 0..<64, using: &generator))
        case 3: .number(Double.random(in: -1e9...1e9, using: &generator))
        case 4: .string(randomString(using: &generator))
        case 5:
            .array(
                (0..<Int.random(in: 0..<5, using: &generator)).map { _ in random(depth: depth - 1, using: &generator) })
        default:
            .object(
                Dictionary(
                    (0..<Int.random(in: 0..<5, using: &generator)).map { _ in
                        (randomString(using: &generator), random(depth: depth - 1, using: &generator))
                    }, uniquingKeysWith: { $1 }))
        }
    }

    static func randomString(using generator: inout some RandomNumberGenerator) -> String {
        let alphabet = Array("ab \"\\/\n\t\u{0}\u{1F}\u{7F}é가나🏠\u{2028}\u{FFFF}").flatMap(\.unicodeScalars)
        var text = ""
        for _ in 0..<Int.random(in: 0..<40, using: &generator) {
            text.unicodeScalars.append(alphabet.randomElement(using: &generator)!)
        }
        return text
    }

    func write(to json: inout JSONWriter) {
        switch self {
        case .null: json.null()
        case .bool(let value): json.value(value)
        case .integer(let value): json.value(value)
        case .number(let value): json.value(value)
        case .string(let value): json.value(value)
        case .array(let elements): json.array { json in for element in elements { element.write(to: &json) } }
        case .object(let members):
            json.object { json in
                for (name, value) in members {
                    json.key(escaping: name)
                    value.write(to: &json)
                }
            }
        }
    }

    init?(_ json: JSONValue) {
        switch json.kind {
        case .null: self = .null
        case .bool: self = .bool(json.bool == true)
        case .number:
            if let value = json.text.contains(UInt8(ascii: ".")) ? nil : json.int {
                self = .integer(value)
            } else {
                guard let value = json.double else { return nil }
                self = .number(value)
            }
        case .string:
            guard let value = json.string else { return nil }
            self = .string(value)
        case .array:
            guard let elements = json.array(Sample.init) else { return nil }
            self = .array(elements)
        case .object:
            var members: [String: Sample] = [:]
            for (name, value) in json.members! { members[name] = Sample(value) }
            self = .object(members)
        }
    }
}

@Suite("JSON round trips")
struct JSONRoundTripTests {
    @Test("Random values are read back unchanged, and Foundation reads them too")
    func roundTrips() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let sample = Sample.random(depth: 4, using: &generator)
            let bytes = JSONWriter.bytes { sample.write(to: &$0) }
            #expect(Sample(try JSONValue(parsing: bytes)) == sample)
            _ = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
        }
    }

    @Test("JSON written by Foundation is read")
    func foundation() throws {
        struct Message: Codable, Equatable {
            var id: Int64
            var content: String
            var files: [String]
            var phone: String?
            var weight: Double
            var isRead: Bool
        }
        let message = Message(
            id: .max, content: "한글 \"인용\" / \u{1}", files: ["/a", "b"], phone: nil, weight: 0.1, isRead: true)
        let json = try JSONValue(parsing: [UInt8](JSONEncoder().encode(message)))
        #expect(json.int("id") == Int(message.id))
        #expect(json.string("content") == message.content)
        #expect(json["files"]?.array(\.string) == message.files)
        #expect(json.string("phone") == nil)
        #expect(json["weight"]?.double == 0.1)
        #expect(json.bool("isRead") == true)
    }
}
