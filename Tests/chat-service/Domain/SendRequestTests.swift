import Contract
import ServiceKit
import Testing

@testable import chat_service

@Suite("Send requests")
struct SendRequestTests {
    private func code(_ content: String?, clientID: String? = nil) -> ErrorCode? {
        do throws(Failure) {
            _ = try SendRequest(content: content, files: [], clientID: clientID)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("A message without content and files is refused", arguments: [nil, ""])
    func nothing(_ content: String?) { #expect(code(content) == .invalidRequest) }

    @Test("Content has up to 10,000 characters as a reader counts them")
    func length() {
        #expect(code(String(repeating: "가", count: 10_000)) == nil)
        #expect(code(String(repeating: "가", count: 10_001)) == .invalidRequest)
        #expect(code(String(repeating: "👨‍👩‍👧", count: 2_000)) == nil)
    }

    @Test("A client_id has 1 to 64 characters")
    func clientID() {
        #expect(code("hi", clientID: "x") == nil)
        #expect(code("hi", clientID: String(repeating: "x", count: 64)) == nil)
        #expect(code("hi", clientID: "") == .invalidRequest)
        #expect(code("hi", clientID: String(repeating: "x", count: 65)) == .invalidRequest)
    }

    @Test("A text that Postgres cannot store is refused")
    func unstorable() {
        #expect(code("a\u{0}b") == .invalidRequest)
        #expect(code("hi", clientID: "a\u{0}b") == .invalidRequest)
    }

    @Test("The digest covers the content and the ordered files; without a client_id there is none")
    func digest() throws {
        func digest(_ content: String, _ files: [[UInt8]], named name: String? = "a") throws -> [UInt8]? {
            try SendRequest(content: content, files: [], clientID: name).digest(of: files)
        }
        let (one, two) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
        let plain = try digest("hi", [one, two])
        #expect(try plain == digest("hi", [one, two]))
        #expect(try plain == digest("hi", [one, two], named: "b"))
        #expect(try plain != digest("hi", [two, one]))
        #expect(try plain != digest("hi", [one]))
        #expect(try plain != digest("ho", [one, two]))
        #expect(try digest("hi", [], named: nil) == nil)
    }
}
