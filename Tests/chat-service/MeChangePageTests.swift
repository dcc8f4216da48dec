import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Pages of changes for sockets", .serialized)
struct MeChangePageTests {
    @Test("Pages of changed messages with many mentions fit into the output of a socket, and leave nothing out")
    func manyMentions() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.database.write((1...20).map { .sample("\($0)") })
            try await chat.database.database.run(
                sql: """
                    update chat.message set rev = seq, mentions = array_fill(9000000000000000001, array[2500]);
                    insert into chat.message_change (workspace, kind, room, seq, rev)
                    select 3, 1, 7, seq, seq from generate_series(1, 20) seq;
                    update chat.room set rev = 20 where workspace = 3 and kind = 1 and id = 7
                    """)
            var (rev, seqs, isComplete): (Int, [Int], Bool) = (0, [], false)
            while !isComplete {
                let reply = try await chat.instances[0].internalCall(
                    "POST", "/internal/rooms/channel-7/history",
                    json: #"{"user_id":"2","session":"1002","profile":"native","limit":50,"after_rev":\#(rev)}"#)
                #expect(reply.body.count < 1 << 19)
                let page = try #require(try reply.json["result"], "\(reply.status)")
                let end = try #require(page["rev"]?.int)
                try #require(end > rev)
                seqs += page["items"]?.list.compactMap { $0["seq"]?.int } ?? []
                (rev, isComplete) = (end, page["complete"]?.bool != false)
            }
            #expect(rev == 20 && seqs == Array(1...20))
        }
    }
}
