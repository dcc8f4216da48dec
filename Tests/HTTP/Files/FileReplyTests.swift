import Testing
import Wire

@testable import HTTP

@Suite struct FileReplyTests {
    private static let tag = EntityTag("v1")!
    private static let modified = Timestamp(httpDate: "Sun, 06 Nov 1994 08:49:37 GMT".utf8)!

    private static func decide(
        _ headers: Headers, to method: Method = .get, size: Int = 100, tag: EntityTag = tag
    ) throws -> FileReply.Decision {
        let request = try #require(Request(method, "/", headers: headers))
        return FileReply.decide(method, request.headers, size: size, tag: tag, modified: modified)
    }

    @Test(
        "A range selects a part, the whole file if it is invalid, or is unsatisfiable",
        arguments: [
            ("bytes=0-0", .part(0..<1)), ("bytes=0-99", .part(0..<100)), ("bytes=0-1000", .part(0..<100)),
            ("bytes=99-99", .part(99..<100)), ("bytes=10-", .part(10..<100)), ("bytes=-1", .part(99..<100)),
            ("bytes=-100", .part(0..<100)), ("bytes=-1000", .part(0..<100)), ("bytes=100-", .unsatisfiable),
            ("bytes=100-200", .unsatisfiable), ("bytes=-0", .unsatisfiable),
            ("bytes=99999999999999999999-", .unsatisfiable), ("bytes=5-99999999999999999999", .part(5..<100)),
            ("bytes=2-1", .whole), ("bytes=", .whole), ("bytes=-", .whole), ("bytes=a-b", .whole), ("bytes=1", .whole),
            ("bytes=0-1,5-6", .whole), ("lines=0-1", .whole), ("bytes 0-1", .whole), ("bytes=+1-2", .whole),
            ("bytes= 1-2", .whole), ("", .whole), ("bytes=0--1", .whole),
        ] as [(String, FileReply.Decision)])
    func ranges(value: String, decision: FileReply.Decision) throws {
        #expect(try Self.decide([.range: value]) == decision)
        #expect(try Self.decide([.range: value], to: .head) == .whole)
    }

    @Test("Every range of an empty file is unsatisfiable")
    func empty() throws {
        for range in ["bytes=0-", "bytes=-1", "bytes=0-0"] {
            #expect(try Self.decide([.range: range], size: 0) == .unsatisfiable)
        }
        #expect(try Self.decide([:], size: 0) == .whole)
    }

    @Test(
        "A client that has the file gets 304 for any tag of its list, weak or strong",
        arguments: [
            ("\"v1\"", true), ("W/\"v1\"", true), ("\"v0\", \"v1\"", true), ("\"v0\",W/\"v1\" , \"v2\"", true),
            ("*", true),
            ("\"v0\"", false), ("v1", false), ("\"v1", false), ("\"v\"1\"", false), ("", false), ("\"V1\"", false),
            ("w/\"v1\"", false), ("\"a,b\", \"v1\"", true),
        ])
    func ifNoneMatch(value: String, isKnown: Bool) throws {
        #expect(try Self.decide([.ifNoneMatch: value]) == (isKnown ? .notModified : .whole))
        #expect(try Self.decide([.ifNoneMatch: value], to: .head) == (isKnown ? .notModified : .whole))
        // If-None-Match takes precedence over a range, and overrides the date.
        let others: Headers = [
            .ifNoneMatch: value, .range: "bytes=0-1", .ifModifiedSince: "Sun, 06 Nov 1994 08:49:37 GMT",
        ]
        #expect(try Self.decide(others) == (isKnown ? .notModified : .part(0..<2)))
    }

    @Test(
        "If-Modified-Since is compared to the second, and an invalid date is ignored",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", true), ("Sun, 06 Nov 1994 08:49:38 GMT", true),
            ("Sun, 06 Nov 1994 08:49:36 GMT", false), ("yesterday", false),
        ])
    func ifModifiedSince(value: String, isKnown: Bool) throws {
        #expect(try Self.decide([.ifModifiedSince: value]) == (isKnown ? .notModified : .whole))
    }

    @Test(
        "A part is sent only of the version of which the client has a part",
        arguments: [
            ("\"v1\"", true), ("\"v0\"", false), ("W/\"v1\"", false), ("Sun, 06 Nov 1994 08:49:37 GMT", true),
            ("Sun, 06 Nov 1994 08:49:38 GMT", false), ("nonsense", false), ("\"v1\", \"v2\"", false),
        ])
    func ifRange(value: String, isSame: Bool) throws {
        let headers: Headers = [.range: "bytes=0-1", .ifRange: value]
        #expect(try Self.decide(headers) == (isSame ? .part(0..<2) : .whole))
        let weak = EntityTag("v1", isWeak: true)!
        if value.hasPrefix("\"") { #expect(try Self.decide(headers, tag: weak) == .whole) }
    }

    @Test("A tag contains only characters that may stand between quotes")
    func tags() {
        #expect(EntityTag("abc-1")?.text == "\"abc-1\"" && EntityTag("x", isWeak: true)?.text == "W/\"x\"")
        for text in ["a\"b", "a b", "a\r\n", "\u{7F}"] { #expect(EntityTag(text) == nil) }
    }
}
