import Synchronization
import Testing
import Wire

@testable import ServiceKit

@Suite("Replies in pages")
struct PagedBodyTests {
    /// The pages that were read.
    private final class Reads: Sendable {
        private let all = Mutex<[(after: Int?, limit: Int)]>([])

        func note(_ after: Int?, _ limit: Int) { all.withLock { $0.append((after, limit)) } }

        var limits: [Int] { all.withLock { $0.map(\.limit) } }
        var count: Int { all.withLock { $0.count } }
    }

    /// A list of the numbers up to `count`, without those that 7 divides.
    private func numbers(_ count: Int, pageSize: Int, _ reads: Reads, first: [Int]? = nil) -> PagedList<Int, Int> {
        PagedList(pageSize: pageSize, first: first) { after, limit in
            reads.note(after, limit)
            return Array(((after ?? 0) + 1...count + 1).prefix(limit).filter { $0 <= count })
        } key: {
            $0
        } write: { number, json in
            if number % 7 != 0 { json.value("number \(number)") }
        }
    }

    private func expected(_ count: Int) -> String {
        "[" + (1...count).filter { $0 % 7 != 0 }.map { "\"number \($0)\"" }.joined(separator: ",") + "]"
    }

    @Test(
        "A short list is one page and one piece; a full page is followed by another read", arguments: [9, 10, 11, 30])
    func short(_ count: Int) async throws {
        let reads = Reads()
        var body = PagedBody()
        body.append(array: numbers(count, pageSize: 10, reads))
        #expect(try await body.fill(upTo: 10_000))
        #expect(String(decoding: body.takeWritten(), as: UTF8.self) == expected(count))
        #expect(reads.count == count / 10 + 1)
    }

    @Test("A first page that is known is not read again")
    func known() async throws {
        let reads = Reads()
        var body = PagedBody()
        body.append(array: numbers(12, pageSize: 10, reads, first: Array(1...10)))
        #expect(try await body.fill(upTo: 10_000))
        #expect(String(decoding: body.takeWritten(), as: UTF8.self) == expected(12))
        #expect(reads.count == 1)
    }

    @Test("Pieces of any size make the same text, with and without dropped pages", arguments: [1, 20, 300, 5000])
    func pieces(_ size: Int) async throws {
        for drops in [false, true] {
            let reads = Reads()
            var body = PagedBody()
            body.append { json in
                json.beginObject()
                json.key("one")
            }
            body.append(array: numbers(500, pageSize: 64, reads))
            body.append { json in json.key("two") }
            body.append(array: numbers(100, pageSize: 64, reads, first: Array(1...64)))
            body.append { json in json.endObject() }
            var text = ""
            while true {
                let isComplete = try await body.fill(upTo: size)
                let piece = String(decoding: body.takeWritten(), as: UTF8.self)
                // A piece ends with the element that makes it long enough.
                #expect(piece.utf8.count < size + 40)
                text += piece
                if isComplete { break }
                if drops { body.dropPages() }
            }
            #expect(text == #"{"one":\#(expected(500)),"two":\#(expected(100))}"#)
        }
    }

    @Test("A list frees the data that its pages share before the reply waits")
    func sharing() async throws {
        let drops = Mutex(0)
        let list = PagedList<Int, Int>(pageSize: 8) { _, limit in
            Array(1...limit)
        } key: {
            $0
        } write: { number, json in
            json.value(number)
        } whenSlow: {
            drops.withLock { $0 += 1 }
        }
        var body = PagedBody()
        body.append(array: list)
        _ = try await body.fill(upTo: 100)
        #expect(drops.withLock(\.self) == 0)
        body.dropPages()
        #expect(drops.withLock(\.self) == 1)
    }

    @Test("Pages are small after a drop and grow again while the client keeps up")
    func sizes() async throws {
        let reads = Reads()
        var body = PagedBody()
        body.append(array: numbers(1000, pageSize: 256, reads))
        _ = try await body.fill(upTo: 100)
        body.dropPages()
        #expect(try await body.fill(upTo: 100_000))
        #expect(reads.limits == [256, 16, 32, 64, 128, 256, 256, 256])
    }
}
