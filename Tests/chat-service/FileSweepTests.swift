import Contract
import EventLoop
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import ServiceKit
@testable import chat_service

@Suite("Files that no message has", .serialized)
struct FileSweepTests {
    /// Stores a file for channel 7 as a send does that ends before its commit.
    private static func orphan(_ house: ChatHouse, _ store: any FileStore) async throws -> String {
        try await house.database.run { pool in
            let upload = try await store.begin()
            let bytes = Upload.png.bytes
            try await upload.write(bytes.span.bytes)
            let attachments = Attachments(files: store, store: FileRecordStore(database: pool))
            return try await attachments.keep(
                [UploadedFile(field: "files", name: "a.png", upload: upload)], in: RoomID(ChannelID(7)))[0]
        }
    }

    private static func sweep(_ house: ChatHouse, _ store: any FileStore, before moment: Timestamp) async throws -> Int
    {
        try await house.database.run { pool in
            try await Attachments(files: store, store: FileRecordStore(database: pool)).sweep(notedBefore: moment)
        }
    }

    /// Runs `body` in a house, with the store of its files.
    private static func use(_ body: (ChatHouse, FolderFileStore) async throws -> Void) async throws {
        try await ChatHouse.use { house in
            let blocking = BlockingPool(threads: 1, limit: 16)
            let store = try FolderFileStore(
                root: house.files.path, folders: Attachments.Folder.allCases.map(\.rawValue), pool: blocking)
            try await body(house, store)
            await onOwnThread { blocking.stop() }
        }
    }

    @Test("A file whose send died before its commit goes; files of messages and of sends under way stay")
    func orphans() async throws {
        try await Self.use { house, store in
            let sent = try await house.upload([.png, .pdf], content: "mine")
            #expect(sent.status == 201)
            _ = try await Self.orphan(house, store)
            _ = try await Self.orphan(house, store)
            #expect(house.storedFiles.count == 4)
            let early = try await Self.sweep(house, store, before: .now - .seconds(3600))
            #expect(early == 0)
            #expect(house.storedFiles.count == 4)
            let swept = try await Self.sweep(house, store, before: .now + .milliseconds(1))
            #expect(swept == 2)
            #expect(house.storedFiles.count == 2)
            let records = try await house.database.ask("select count(*), bool_and(is_sent) from chat.file")
            #expect(records == "2|t")
            for path in try sent.json["files"]?.elements?.compactMap({ $0.string }) ?? [] {
                let reply = try await house.call("GET", "/v1" + path)
                #expect(reply.status == 200)
            }
            // What has been looked at once is not looked at again, were its message to go.
            let again = try await Self.sweep(house, store, before: .now + .seconds(1))
            #expect(again == 0)
        }
    }

    @Test("However much is said in a room, its files are told from those that no message has")
    func busyRoom() async throws {
        try await Self.use { house, store in
            // Two hours of a message every 20 ms; every third file was sent, with two more to a message.
            try await house.database.database.run(
                sql: """
                    insert into chat.room (kind, id, workspace, name, last_seq, last_at)
                        values (1, 7, 3, 'general', 360000, 7200000);
                    insert into chat.file (name, folder, kind, room, display_name, size, noted_at, is_sent)
                        select lpad(n::text, 32, '0') || '.pdf', 'channelChats', 1, 7, 'a', 1, 3500000 + n, false
                        from generate_series(1, 1500) as n;
                    insert into chat.message (kind, room, seq, author, session, content, files, created_at)
                        select 1, 7, n, 1, 1001, 'm', case when n % 300 = 0 and n <= 150000
                            then array['/static/channelChats/b_' || lpad((n / 100)::text, 32, '0') || '.pdf', '/static/x_1.pdf']
                            else '{}' end, 20 * n
                        from generate_series(1, 360000) as n;
                    """)
            let swept = try await Self.sweep(house, store, before: .now)
            #expect(swept == 1000)
            let left = try await house.database.ask(
                "select count(*), bool_and(is_sent), bool_and(ltrim(left(name, 32), '0')::int % 3 = 0) from chat.file")
            #expect(left == "500|t|t")
        }
    }

    @Test("A crash between the note of a file and its storing leaves a note that goes")
    func noted() async throws {
        try await Self.use { house, store in
            try await house.database.run { pool in
                let record = FileRecord(
                    name: "0123456789abcdef0123456789abcdef.png", folder: "channelChats", room: RoomID(ChannelID(7)),
                    displayName: "image", size: 1)
                try await FileRecordStore(database: pool).insert([record], at: .now)
            }
            let swept = try await Self.sweep(house, store, before: .now + .milliseconds(1))
            #expect(swept == 1)
            let left = try await house.database.ask("select count(*) from chat.file")
            #expect(left == "0")
        }
    }

    /// A store that has no room: what is noted when it is asked to keep something is all that it does.
    private struct FullStore: FileStore {
        let store: FolderFileStore
        let house: ChatHouse

        struct Full: Error { let noted: String }

        func begin() async throws -> FileUpload { try await store.begin() }
        func keep(_ upload: FileUpload, as name: String) async throws {
            throw Full(noted: try await house.database.ask("select folder || '/' || name from chat.file"))
        }
        func open(_ name: String) async throws -> StoredFile? { nil }
        func remove(_ names: [String]) async throws {}
        func dropAbandonedUploads() async throws {}
    }

    @Test("A file is noted before it is stored, and forgotten where it cannot be")
    func order() async throws {
        try await Self.use { house, store in
            do {
                _ = try await Self.orphan(house, FullStore(store: store, house: house))
                Issue.record("a full store has kept something")
            } catch let full as FullStore.Full {
                #expect(full.noted.hasPrefix("channelChats/") && full.noted.hasSuffix(".png"))
            }
            try await eventually("forgetting") {
                try await house.database.ask("select count(*) from chat.file") == "0" && house.storedFiles.isEmpty
            }
        }
    }

    @Test("A service that has started forgets what those before it were cut off in: files noted, and uploads begun")
    func started() async throws {
        try await ChatProcess().lent { process in
            await process.kill()
            let name = "0123456789abcdef0123456789abcdef.png"
            try process.plant("channelChats/" + name, age: 7200)
            try process.plant(".uploads/old", age: 2 * 86_400)
            try process.plant(".uploads/young", age: 3600)
            try await process.database.database.run(
                sql: """
                    insert into chat.file (name, folder, kind, room, display_name, size, noted_at, is_sent)
                        values ('\(name)', 'channelChats', 1, 7, 'image', 1, 1000, false)
                    """)
            try await process.start()
            // The record goes last.
            try await eventually("a sweep") {
                try await process.database.ask("select count(*) from chat.file") == "0"
                    && process.storedFiles.isEmpty && process.uploads == ["young"]
            }
        }
    }

    @Test("A process killed in the middle of sends with files leaves no file that a sweep does not find")
    func killed() async throws {
        try await ChatProcess().lent { process in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for user in 1...4 as ClosedRange<Int64> {
                    group.addTask {
                        let body = Upload.form([.png, .pdf], [("content", "a")])
                        let type = ("Content-Type", "multipart/form-data; boundary=\(Upload.boundary)")
                        while (try? await HTTPCall(
                            "POST", port: process.publicPort, "/v1/workspaces/3/channels/7/chats",
                            headers: process.headers(user) + [type], body: body
                        ).reply()) != nil {}
                    }
                }
                try await eventually("sends") {
                    (Int(try await process.database.ask("select count(*) from chat.message")) ?? 0) > 20
                }
                await process.kill()
                try await group.waitForAll()
            }
            // Every stored file has a record; the sweep goes by those.
            let names = try await process.database.ask("select name from chat.file").split(separator: "\n")
            let stored = process.storedFiles
            #expect(stored.count > 40)
            #expect(Set(stored).isSubset(of: names.map(String.init)))
        }
    }
}
