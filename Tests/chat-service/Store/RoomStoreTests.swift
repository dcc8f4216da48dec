import Contract
import Synchronization
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Rooms", .serialized)
struct RoomStoreTests {
    @Test("Removals from many rooms are published while all rooms are locked; sends to them wait")
    func publishing() async throws {
        try await ChatDatabase.use(pools: 4) { database in
            let rooms = (1...3 as ClosedRange<Int64>).map { RoomID(ChannelID($0)) }
            _ = try await database.write(rooms.map { .sample("before", room: $0) })
            let writes = Mutex<[Task<[SendOutcome], any Error>]>([])
            let haveWaited = Mutex(false)
            try await database.run { pool in
                try await RoomStore(database: pool).remove(UserID(2), from: rooms, of: WorkspaceID(3), version: 1) {
                    places in
                    #expect(places.map(\.room) == rooms && places.allSatisfy { $0.after == 1 })
                    for (number, room) in rooms.enumerated() {
                        let write = Task {
                            try await database.write([.sample("after", room: room)], pool: number + 1).outcomes
                        }
                        writes.withLock { $0.append(write) }
                    }
                    let all: Void? = try? await eventually(within: .seconds(20), "waiting") {
                        try await database.ask(
                            """
                            select count(*) from pg_stat_activity
                            where datname = current_database() and wait_event_type = 'Lock'
                            """) == "3"
                    }
                    haveWaited.withLock { $0 = all != nil }
                }
            }
            #expect(haveWaited.withLock { $0 })
            for write in writes.withLock(\.self) {
                guard case .written(let message) = try await write.value[0] else {
                    Issue.record("a message was not written")
                    continue
                }
                #expect(message.seq == 2)
            }
        }
    }
}
