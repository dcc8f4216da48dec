import Contract
import Testing
import Wire

@testable import auth_service

@Suite("The layout of exports")
struct ExportArchiveTests {
    @Test("A section continues over pages, and in another entry once it is long; each file is there once")
    func layout() throws {
        var archive = ExportArchive(at: .now, longestText: 20)
        var bytes = try archive.begin(for: UserID(5))
        func page(_ name: String, _ numbers: ClosedRange<Int>) -> ExportPage {
            ExportPage(sections: [ExportPage.Section(name: name, records: numbers.map { Array(#"{"n":\#($0)}"#.utf8) })]
            )
        }
        bytes += try archive.append(page("messages", 1...2), of: .chats)
        bytes += try archive.append(page("messages", 3...4), of: .chats)
        bytes += try archive.append(page("files", 1...1), of: .chats)
        bytes += try archive.append(page("files", 1...1), of: .payments)
        bytes += try archive.endSection()
        let begin = try archive.beginFile("a/b.png", size: 3)
        bytes += try #require(begin) + archive.append([1, 2, 3]) + archive.endFile()
        let again = try archive.beginFile("a/b.png", size: 3)
        #expect(again == nil)
        bytes += try archive.finish()
        #expect(archive.size == UInt64(bytes.count))
        let read = try ExportedArchive(bytes)
        #expect(
            read.names == [
                "export.json", "chats/messages.json", "chats/messages-2.json", "chats/files.json",
                "payments/files.json",
                "files/a/b.png",
            ])
        #expect(read.records("chats/messages.json").compactMap { $0["n"]?.int } == [1, 2, 3])
        #expect(read.records("chats/messages-2.json").compactMap { $0["n"]?.int } == [4])
        #expect(read.bytes("files/a/b.png") == [1, 2, 3])
    }
}
