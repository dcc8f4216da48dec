import Contract
import EventLoop
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import ServiceKit
@testable import chat_service

@Suite("Files without a message", .serialized)
struct FileSweepTests {
    /// Stores a file for channel 7, like a send that ends before its commit.
    private static func orphan(_ chat: ChatHarness, _ store: any FileStore) async throws -> String {
        try await chat.database.run { pool in
            let upload = try await store.begin()
            let bytes = Upload.png.bytes
            try await upload.write(bytes.span.bytes)
            let attachments = Attachments(
                files: store, store: FileRecordStore(database: pool), limits: .sample, pictures: nil)
            return try await attachments.keep(
                [UploadedFile(field: "files", name: "a.png", upload: upload)], in: .sample, by: UserID(1),
                naming: .empty)[0]
        }
    }

    private static func sweep(_ chat: ChatHarness, _ store: any FileStore, before moment: Timestamp) async throws -> Int
    {
        try await chat.database.run { pool in
            try await Attachments(files: store, store: FileRecordStore(database: pool), limits: .sample, pictures: nil)
                .sweep(notedBefore: moment)
        }
    }

    /// Runs `body` with a service and its file store.
    private static func use(_ body: (ChatHarness, FolderFileStore) async throws -> Void) async throws {
        try await ChatHarness.use { chat in
            let blocking = BlockingPool(threads: 1, limit: 16)
            let store = try FolderFileStore(
                root: chat.files.path, folders: Attachments.Folder.allCases.map(\.rawValue), pool: blocking)
            try await body(chat, store)
            await onOwnThread { blocking.stop() }
        }
    }

    @Test(
        "The sweep removes files of sends that failed before their commit, and keeps files of messages and of current sends"
    )
    func orphans() async throws {
        try await Self.use { chat, store in
            let sent = try await chat.upload([.png, .pdf], content: "mine")
            #expect(sent.status == 201)
            _ = try await Self.orphan(chat, store)
            _ = try await Self.orphan(chat, store)
            #expect(chat.storedFiles.count == 4)
            let early = try await Self.sweep(chat, store, before: .now - .seconds(3600))
            #expect(early == 0)
            #expect(chat.storedFiles.count == 4)
            let swept = try await Self.sweep(chat, store, before: .now + .milliseconds(1))
            #expect(swept == 2)
            #expect(chat.storedFiles.count == 2)
            let records = try await chat.database.ask("select count(*), bool_and(is_sent) from chat.file")
            #expect(records == "2|t")
            for path in try sent.json["files"]?.elements?.compactMap({ $0.string }) ?? [] {
                let reply = try await chat.call("GET", "/v1" + path)
                #expect(reply.status == 200)
            }
            // A file marked as sent is not checked again.
            let again = try await Self.sweep(chat, store, before: .now + .seconds(1))
            #expect(again == 0)
        }
    }

    @Test("The sweep keeps files of a message that was sent long after they were stored, as a scheduled one is")
    func sentLater() async throws {
        try await Self.use { chat, store in
            #expect(try await chat.upload([.png, .pdf], content: "later").status == 201)
            try await chat.database.database.run(
                sql: "update chat.file set noted_at = noted_at - 7200000, is_sent = false")
            #expect(try await Self.sweep(chat, store, before: .now) == 0)
            #expect(chat.storedFiles.count == 2)
            #expect(try await chat.database.ask("select bool_and(is_sent) from chat.file") == "t")
        }
    }

    @Test("The sweep at the start of a service leaves files alone that were noted just now")
    func atStart() async throws {
        try await Self.use { chat, store in
            let old = try await Self.orphan(chat, store)
            try await chat.database.database.run(sql: "update chat.file set noted_at = noted_at - 7200000")
            let new = try await Self.orphan(chat, store)
            #expect(chat.storedFiles.count == 2)
            try await chat.database.run { pool in
                let sweep = FileSweep(
                    attachments: Attachments(
                        files: store, store: FileRecordStore(database: pool), limits: .sample, pictures: nil))
                let loop = try #require(EventLoop.current)
                let running = Task(executorPreference: loop) { try await sweep.run(on: loop) }
                // One statement finds every file that the sweep takes, and the record goes last.
                try await eventually("the removal of the old file") {
                    try await chat.database.ask("select count(*) from chat.file") == "1"
                }
                running.cancel()
                _ = await running.result
            }
            let left = try await chat.database.ask("select name from chat.file")
            #expect(new.hasSuffix("_" + left) && !old.hasSuffix("_" + left))
            #expect(chat.storedFiles == ["channelChats/" + left])
        }
    }

    @Test("In a busy room the sweep removes exactly the files without a message")
    func busyRoom() async throws {
        try await Self.use { chat, store in
            // Two hours of a message every 20 ms; every third file was sent, with two more to a message.
            try await chat.database.database.run(
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
            let swept = try await Self.sweep(chat, store, before: .now)
            #expect(swept == 1000)
            let left = try await chat.database.ask(
                "select count(*), bool_and(is_sent), bool_and(ltrim(left(name, 32), '0')::int % 3 = 0) from chat.file")
            #expect(left == "500|t|t")
        }
    }

    @Test("The sweep removes a record without a stored file")
    func noted() async throws {
        try await Self.use { chat, store in
            try await chat.database.run { pool in
                let record = FileRecord(
                    name: "0123456789abcdef0123456789abcdef.png", folder: "channelChats", workspace: WorkspaceID(3),
                    room: RoomID(ChannelID(7)), displayName: "image", size: 1)
                try await FileRecordStore(database: pool)
                    .insert([record], of: UserID(1), in: WorkspaceID(3), within: .sample, at: .now)
            }
            let swept = try await Self.sweep(chat, store, before: .now + .milliseconds(1))
            #expect(swept == 1)
            let left = try await chat.database.ask("select count(*) from chat.file")
            #expect(left == "0")
        }
    }

    /// A full store: storing fails, and the error says which files were recorded before.
    private struct FullStore: FileStore {
        let store: FolderFileStore
        let chat: ChatHarness

        struct Full: Error { let recorded: String }

        func begin() async throws -> FileUpload { try await store.begin() }
        func keep(_ upload: FileUpload, as name: String) async throws {
            throw Full(recorded: try await chat.database.ask("select folder || '/' || name from chat.file"))
        }
        func open(_ name: String) async throws -> StoredFile? { nil }
        func read(_ name: String, from offset: Int, atMost count: Int) async throws -> FilePiece? { nil }
        func remove(_ names: [String]) async throws {}
        func dropAbandonedUploads() async throws {}
    }

    @Test("A file is recorded before it is stored, and its record is removed if storing fails")
    func order() async throws {
        try await Self.use { chat, store in
            do {
                _ = try await Self.orphan(chat, FullStore(store: store, chat: chat))
                Issue.record("a full store accepted a file")
            } catch let full as FullStore.Full {
                #expect(full.recorded.hasPrefix("channelChats/") && full.recorded.hasSuffix(".png"))
            }
            try await eventually("the removal") {
                try await chat.database.ask("select count(*) from chat.file") == "0" && chat.storedFiles.isEmpty
            }
        }
    }

    @Test("A started service removes recorded files and old uploads of a crash, and copies of a former bucket")
    func started() async throws {
        try await ChatProcess().lent { process in
            await process.kill()
            let name = "0123456789abcdef0123456789abcdef.png"
            try process.plant("channelChats/" + name, age: 7200)
            try process.plant(".uploads/old", age: 2 * 86_400)
            try process.plant(".uploads/young", age: 3600)
            try process.plant(".copies-chat-service/channelChats+a.png", age: 60)
            try await process.database.database.run(
                sql: """
                    insert into chat.file (name, folder, kind, room, display_name, size, noted_at, is_sent)
                        values ('\(name)', 'channelChats', 1, 7, 'image', 1, 1000, false)
                    """)
            try await process.start()
            // The record is removed last.
            try await eventually("a sweep") {
                try await process.database.ask("select count(*) from chat.file") == "0"
                    && process.storedFiles.isEmpty && process.uploads == ["young"] && process.copies.isEmpty
            }
        }
    }

    @Test("A process killed during sends with files leaves no file without a record")
    func killed() async throws {
        try await ChatProcess().lent { process in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for user in 1...4 as ClosedRange<Int64> {
                    group.addTask {
                        let body = Upload.form([.png, .pdf], [("content", "a")])
                        let type = ("Content-Type", "multipart/form-data; boundary=\(Upload.boundary)")
                        while !Task.isCancelled,
                            (try? await HTTPCall(
                                "POST", port: process.publicPort, "/v1/workspaces/3/channels/7/chats",
                                headers: process.headers(user) + [type], body: body
                            ).reply()) != nil
                        {}
                    }
                }
                try await eventually("sends") {
                    (Int(try await process.database.ask("select count(*) from chat.message")) ?? 0) > 20
                }
                await process.kill()
                try await group.waitForAll()
            }
            // The sweep finds files by their records.
            let names = try await process.database.ask("select name from chat.file").split(separator: "\n")
            let stored = process.storedFiles
            #expect(stored.count > 40)
            #expect(Set(stored).isSubset(of: names.map(String.init)))
        }
    }
}

extension StorageLimits {
    static let sample = StorageLimits(ofUser: 1 << 40, ofWorkspace: 1 << 40)
}

extension MessageTarget {
    fileprivate static let sample = MessageTarget(
        room: RoomID(ChannelID(7)), workspace: WorkspaceID(3), name: "general")
}
