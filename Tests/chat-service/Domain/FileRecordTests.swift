import Contract
import Testing
import Wire

@testable import chat_service

@Suite("Names of files")
struct FileRecordTests {
    private static let unique = "0123456789abcdef0123456789abcdef.pdf"

    private func record(_ displayName: String) -> FileRecord {
        FileRecord(
            name: Self.unique, folder: "channelChats", workspace: WorkspaceID(3), room: RoomID(ChannelID(7)),
            displayName: displayName, size: 1)
    }

    @Test(
        "The unique name is found in a path, however often the rest was percent-encoded",
        arguments: ["report", "a_b_c", "보고서 (1)", "50%", "_", "a/b", "..", "x?y#z"])
    func found(_ displayName: String) {
        var path = record(displayName).path
        for _ in 0..<3 {
            #expect(FileRecord.name(inPath: path) == Self.unique)
            let rest = path.dropLast(Self.unique.count + 1)
            path = PercentEncoding.strict.encode(String(rest)) + "_" + Self.unique
        }
    }

    @Test("A display name adds no folder, query or fragment to a path", arguments: ["a/b", "..", "x?y#z", "a b\r\n"])
    func harmless(_ displayName: String) {
        let path = record(displayName).path
        #expect(path.hasPrefix("/static/channelChats/"))
        #expect(path.split(separator: "/").count == 3)
        #expect(!path.contains { $0 == "?" || $0 == "#" || $0 == " " || $0.isNewline })
    }

    @Test("The store's name contains nothing from the client")
    func storeName() { #expect(record("../../etc/passwd").storeName == "channelChats/" + Self.unique) }

    @Test("A path without an underscore names no file")
    func none() { #expect(FileRecord.name(inPath: "/static/channelChats/image.png") == nil) }
}
