import ServiceSupport
import Synchronization
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Crashes during changes", .serialized)
struct ChangeCrashTests {
    /// Edits the user's message to rising numbers, each until it is acknowledged.
    private final class Editor: Sendable {
        private struct State {
            var acknowledged = 0
            var refusals = 0
            var isOver = false
        }

        private let state = Mutex(State())
        let user: Int64

        init(_ user: Int64) { self.user = user }

        var acknowledged: Int { state.withLock(\.acknowledged) }
        var refusals: Int { state.withLock(\.refusals) }

        func end() { state.withLock { $0.isOver = true } }

        func run(_ process: ChatProcess) async {
            var number = 1
            while !state.withLock(\.isOver), !Task.isCancelled {
                let call = HTTPCall(
                    "PUT", port: process.publicPort, "/v1/workspaces/3/channels/7/chats/\(user)",
                    headers: process.headers(user) + [("Content-Type", "application/json")],
                    body: Array(#"{"content":"\#(number)"}"#.utf8))
                let reply = try? await call.reply()
                if reply?.status == 200 {
                    state.withLock { $0.acknowledged = number }
                    number += 1
                } else {
                    state.withLock { $0.refusals += 1 }
                    try? await pause(for: .milliseconds(20))
                }
            }
        }
    }

    @Test("R14: An acknowledged change is stored, and its message is published as it is, while the service is killed")
    func killing() async throws {
        try await ChatProcess().lent { process in
            let editors = (1...4 as ClosedRange<Int64>).map { Editor($0) }
            for editor in editors {
                let sent = try await process.send("0", user: editor.user, clientID: "\(editor.user)")
                #expect(try sent.json["seq"]?.int == Int(editor.user))
            }
            let listener = try RoomEventListener(process.redis)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for editor in editors { group.addTask { await editor.run(process) } }
                group.addTask {
                    for _ in 0..<4 {
                        let goal = editors.reduce(20) { $0 + $1.acknowledged }
                        try await eventually("20 more edits") { editors.reduce(0) { $0 + $1.acknowledged } >= goal }
                        await process.kill()
                        try await process.start()
                    }
                    for editor in editors { editor.end() }
                }
                // `waitForAll` would wait for the editors after an error of the other task too.
                for try await _ in group {}
            }
            #expect(editors.reduce(0) { $0 + $1.refusals } > 0, "no edit was interrupted")
            let rows = try await process.database.ask("select seq, content, rev from chat.message order by seq")
                .split(separator: "\n").map { $0.split(separator: "|").compactMap { Int($0) } }
            for (editor, row) in zip(editors, rows) { #expect(row[1] >= editor.acknowledged) }
            let top = try await process.database.ask("select rev from chat.room where kind = 1 and id = 7")
            #expect(rows.map { $0[2] }.max() == Int(top))
            let revs = Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[2]) })
            _ = try await listener.events { events in
                let newest = Dictionary(
                    events.filter { $0["type"]?.string == "changed" }
                        .map { ($0["seq"]?.int ?? 0, $0["rev"]?.int ?? 0) }, uniquingKeysWith: max)
                return newest == revs
            }
        }
    }
}
