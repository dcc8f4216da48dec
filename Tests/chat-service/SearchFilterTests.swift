import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Filters of a search", .serialized)
struct SearchFilterTests {
    @Test("Filters narrow a search, as parameters and inside of the query, in Korean as well")
    func filters() async throws {
        try await ChatHarness.use { chat in
            chat.peers.change { $0.channels[8]?.members = [1, 2] }
            for (text, user, channel) in [
                ("회의 하나", 1, 7), ("회의 둘", 2, 7), ("회의 셋 https://a.kr", 2, 8),
            ] as [(String, Int64, Int64)] {
                _ = try await chat.send(text, user: user, to: channel)
            }
            try await chat.untilIndexed()
            let all = ["회의 셋 https://a.kr", "회의 둘", "회의 하나"]
            for (query, parameters, expected) in [
                ("회의", "", all), ("회의 from:n2", "", Array(all[0...1])), ("회의 보낸사람:n1", "", [all[2]]),
                ("회의", "&from=2", Array(all[0...1])), ("회의 in:random", "", [all[0]]),
                ("회의 채널:#general", "", Array(all[1...2])),
                ("회의", "&in=channel-8", [all[0]]), ("회의", "&has=link", [all[0]]), ("has:link", "", [all[0]]),
                ("회의 from:nobody", "", []), ("회의", "&before=2020-01-01", []), ("회의", "&after=2020-01-01", all),
                ("회의 -둘", "", [all[0], all[2]]), ("회의", "&in=channel-9", []),
                ("회의 from:@n2", "", Array(all[0...1])), ("회의 from:me", "", [all[2]]),
                ("회의 from:n1 from:n2", "", all), ("-from:n2 회의", "", [all[2]]), ("-in:random", "&from=2", [all[1]]),
                ("회의 -has:link", "", Array(all[1...2])), ("-둘", "&from=2", [all[0]]),
                ("회의 before:2030-01-01", "&before=2020-01-01", []), ("회의 after:2030-01-01", "&after=2020-01-01", []),
                ("회의 이전:2030-01-01 이후:2020-01-01", "", all), ("회의", "&after=2020-01-01T00:00:00%2B09:00", all),
                ("포함:링크", "", [all[0]]), ("HAS:LINK", "", [all[0]]),
            ] {
                #expect(try await chat.found(query, parameters) == expected, "\(query) \(parameters)")
            }
        }
    }

    @Test("A former member is found by name in every room of a caller that has a DM with them")
    func formerMember() async throws {
        try await ChatHarness.use { chat in
            let path = try await chat.dm(1, 2) + "/chats"
            _ = try await chat.call("POST", path, user: 2, json: #"{"content":"회의 비밀"}"#)
            _ = try await chat.send("회의 하나", user: 2)
            _ = try await chat.send("회의 둘")
            try await chat.untilIndexed()
            chat.peers.change { state in
                state.workspaces[3]?.remove(2)
                state.channels[7]?.members.remove(2)
            }
            for (query, expected) in [
                ("회의 from:n2", ["회의 비밀", "회의 하나"]), ("회의 -from:n2", ["회의 둘"]), ("회의 in:@n2", ["회의 비밀"]),
                ("회의 from:nobody", []),
            ] {
                #expect(Set(try await chat.found(query)) == Set(expected), "\(query)")
            }
        }
    }

    @Test("A nickname may look like the key of a room")
    func nicknameOfRoom() async throws {
        try await ChatHarness.use { chat in
            chat.peers.change { $0.nicknames[2] = "channel-7" }
            _ = try await chat.send("회의", user: 2)
            _ = try await chat.send("회의 둘")
            try await chat.untilIndexed()
            #expect(try await chat.found("회의 from:channel-7") == ["회의"])
            #expect(try await chat.found("회의 -from:channel-7") == ["회의 둘"])
        }
    }

    @Test(
        "A DM is named by its other member, and files by has:file, has:image and their names, decomposed ones included")
    func roomsAndFiles() async throws {
        try await ChatHarness.use { chat in
            let path = try await chat.dm(1, 2) + "/chats"
            _ = try await chat.call("POST", path, json: #"{"content":"회의 비밀"}"#)
            _ = try await chat.send("회의")
            // Apple's systems decompose names.
            let name = "\u{1112}\u{116C}\u{110B}\u{1174}\u{1105}\u{1169}\u{11A8} 최종_2.pdf"
            _ = try await chat.upload([Upload(name: name, bytes: Upload.pdf.bytes)], content: "첨부")
            _ = try await chat.upload([.png], content: "그림")
            try await chat.untilIndexed()
            for (query, expected) in [
                ("회의 in:@n2", ["회의 비밀"]), ("회의 대화:n2", ["회의 비밀"]), ("회의 -in:@n2", ["첨부", "회의"]),
                ("회의 in:@nobody", []), ("회의록", ["첨부"]), ("회의록.pdf", []), ("최종_2.PDF", ["첨부"]),
                ("\"회의록 최종\"", ["첨부"]), ("ㅎㅇㄹ", ["첨부"]), ("첨부 회의", ["첨부"]), ("has:file", ["그림", "첨부"]),
                ("has:image", ["그림"]), ("포함:사진", ["그림"]), ("has:file -has:image", ["첨부"]),
            ] {
                #expect(try await chat.found(query) == expected, "\(query)")
            }
            let hit = try await chat.search("회의록").json["items"]?[0]
            #expect(hit?["highlights"]?.elements.map(Array.init)?.isEmpty == true)
        }
    }

    @Test("The days of before and after are those of the zone that is asked for, of do-not-disturb hours, or of UTC")
    func zones() async throws {
        try await ChatHarness.use { chat in
            for text in ["회의 하나", "회의 둘", "회의 셋"] { _ = try await chat.send(text) }
            // In Seoul, 8 May begins at 15:00 UTC of 7 May. In Havana, 2 November 2025 had two midnights: 04:00 and 05:00 UTC. In
            // Beirut, 30 March 2025 had none and began at 01:00, which is 22:00 UTC of the day before.
            for (seq, moment) in ["2025-05-07T15:30:00Z", "2025-11-02T04:30:00Z", "2025-03-29T22:30:00Z"].enumerated() {
                let milliseconds = try #require(Timestamp(moment)).milliseconds
                try await chat.database.database.run(
                    sql: "update chat.message set created_at = \(milliseconds) where seq = \(seq + 1)")
            }
            try await chat.database.database.run(sql: "delete from chat.search_progress")
            _ = try await chat.send("다음")
            try await chat.untilIndexed()
            func found(_ day: String, _ zone: String, user: Int64 = 1) async throws -> [String] {
                try await chat.found("회의 after:\(day)", "&before=\(day)T23:59:59Z\(zone)", user: user)
            }
            #expect(try await found("2025-05-08", "") == [])
            #expect(try await chat.found("after:2025-05-08 before:2025-05-09 회의", "&zone=Asia/Seoul") == ["회의 하나"])
            #expect(try await chat.found("회의", "&after=2025-05-08&before=2025-05-09&zone=Asia/Seoul") == ["회의 하나"])
            #expect(try await chat.found("회의", "&after=2025-05-08&before=2025-05-09&zone=Europe/Paris") == [])
            #expect(try await found("2025-11-02", "&zone=America/Havana") == ["회의 둘"])
            #expect(try await chat.found("회의 before:2025-11-02", "&after=2025-11-01&zone=America/Havana") == [])
            #expect(try await chat.found("회의 after:2025-03-30", "&before=2025-03-31&zone=Asia/Beirut") == ["회의 셋"])
            // A moment has its own zone.
            #expect(
                try await chat.found("회의 after:2025-05-08T00:00:00Z", "&before=2025-05-09&zone=Asia/Seoul") == [])
            for (day, zone) in [("0000-01-01", "Asia/Seoul"), ("9999-12-31", "America/Havana")] {
                let reply = try await chat.search("회의", "&after=\(day)&zone=\(zone)")
                #expect(reply.status == 200)
            }
            let settings = #"""
                {"readReceipts":true,"presence":true,"typing":true,"keywords":[],
                "doNotDisturb":{"from":"22:00","to":"07:00","zone":"Asia/Seoul"}}
                """#
            let stored = try await chat.call("PUT", "/v1/users/me/settings", json: settings)
            #expect(stored.status == 200)
            #expect(try await chat.found("회의", "&after=2025-05-08&before=2025-05-09") == ["회의 하나"])
            #expect(try await chat.found("회의", "&after=2025-05-08&before=2025-05-09&zone=UTC") == [])
            #expect(try await chat.found("회의", "&after=2025-05-08&before=2025-05-09", user: 2) == [])
        }
    }

    @Test("A query has up to 200 characters of any script, composed or not, and few marks on each")
    func longQueries() async throws {
        try await ChatHarness.use { chat in
            for (character, count, status) in [
                ("가", 200, 200), ("\u{1112}\u{116C}", 200, 200), ("நி", 200, 200), ("👍🏽", 200, 200), ("நி", 201, 422),
                ("a" + String(repeating: "\u{323}", count: 10), 100, 422),
            ] {
                let text = PercentEncoding.strict.encode(String(repeating: character, count: count))
                for path in ["search", "find"] {
                    let reply = try await chat.call("GET", "/v1/workspaces/3/\(path)?q=\(text)")
                    #expect(reply.status == status, "\(path): \(count) times \(character)")
                }
            }
        }
    }

    @Test("Invalid searches are refused")
    func refusals() async throws {
        try await ChatHarness.use { chat in
            for query in [
                "q=", "", "q=-x", "q=%22%22", "q=a&sort=worst", "q=a&cursor=x", "q=a&limit=0", "q=a&limit=201",
                "q=a&has=cat", "q=a&before=soon", "q=a&zone=Seoul", "q=a&before=2020-01-01&zone=%2B09:00",
                "q=a&zone=a%00b", "q=a%20-before:2020-01-01", "q=-from:1",
                "q=a&sort=recent&cursor=1.channel-7.2.3.1.channel-7.2", "q=" + String(repeating: "a", count: 201),
            ] {
                let reply = try await chat.call("GET", "/v1/workspaces/3/search?" + query)
                #expect(reply.status == 422, "\(query)")
                #expect(try reply.json["errorCode"]?.string == "E11", "\(query)")
            }
        }
    }
}
