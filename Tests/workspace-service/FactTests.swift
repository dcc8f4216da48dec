import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("What is told to others", .serialized)
struct FactTests {
    @Test("Every change is told with a version above the one before, in the order of its commit")
    func changes() async throws {
        try await WorkspaceHouse.use { house in
            let id = try await house.makeWorkspace()
            let channel = try await house.makeChannel("general", in: id)
            try await house.invite(2, to: id)
            try await house.join(2, channel)
            let base = "/v1/workspaces/\(id)"
            let calls: [(String, String, Int64, String?)] = [
                ("PUT", "/channels/\(channel)", 1, #"{"name":"talk"}"#),
                ("PUT", "/channels/\(channel)/transfer/ownership", 1, #"{"owner_id":"2"}"#),
                ("GET", "/channels/\(channel)/exit", 1, nil),
                ("DELETE", "/channels/\(channel)", 2, nil),
                ("PUT", "", 1, #"{"description":"new"}"#),
                ("PUT", "/transfer/ownership", 1, #"{"owner_id":"2"}"#),
                ("GET", "/exit", 1, nil),
                ("DELETE", "", 2, nil),
            ]
            for (method, path, user, json) in calls {
                let reply = try await house.call(method, base + path, user: user, json: json)
                #expect(reply.status == 200, "\(method) \(path)")
            }
            _ = try await FactStream(redis: house.redis).bodies(of: "workspace.deleted", count: 1)
            let facts = try await FactStream(redis: house.redis).all().filter { $0.type != "coins.capture" }
            #expect(
                facts.map(\.type) == [
                    "workspace.member.added", "channel.member.added", "workspace.member.added", "channel.member.added",
                    "channel.changed", "channel.changed", "channel.member.removed", "channel.deleted",
                    "workspace.changed", "workspace.changed", "workspace.member.removed", "workspace.deleted",
                ])
            let versions = facts.compactMap { $0.body["version"]?.int }
            #expect(versions.count == facts.count)
            #expect(zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 })
            #expect(facts.allSatisfy { $0.body["workspace_id"]?.string == "\(id)" })
            #expect(Set(facts.map(\.id)).count == facts.count)
        }
    }

    @Test("What is refused or rolled back is never told")
    func rollback() async throws {
        try await WorkspaceHouse.use { house in
            let id = try await house.makeWorkspace()
            try await house.makeWorkspace("other")
            let channel = try await house.makeChannel("general", in: id)
            try await house.invite(2, to: id)
            let before = try await house.sql("select count(*) from outbox")
            let base = "/v1/workspaces/\(id)"
            let calls: [(String, String, Int64, String?)] = [
                ("PUT", "", 1, #"{"name":"OTHER"}"#), ("PUT", "", 2, #"{"name":"x"}"#), ("DELETE", "", 2, nil),
                ("POST", "/members", 1, #"{"email":"2@example.com"}"#), ("GET", "/exit", 1, nil),
                ("PUT", "/transfer/ownership", 1, #"{"owner_id":"9"}"#),
                ("POST", "/channels", 2, #"{"name":"GENERAL"}"#),
                ("PUT", "/channels/\(channel)", 1, #"{"name":"일반"}"#), ("GET", "/channels/\(channel)/exit", 1, nil),
                ("PUT", "/channels/\(channel)/transfer/ownership", 1, #"{"owner_id":"2"}"#),
            ]
            for (method, path, user, json) in calls {
                let reply = try await house.call(method, base + path, user: user, json: json)
                #expect(reply.status >= 400, "\(method) \(path)")
            }
            let after = try await house.sql("select count(*) from outbox")
            #expect(after == before)
        }
    }

    @Test("Without Redis everything goes on, and what happened is told when it is back, to the last fact and in order")
    func redisAway() async throws {
        try await WorkspaceHouse.use { house in
            let id = try await house.makeWorkspace()
            _ = try await FactStream(redis: house.redis).bodies(of: "workspace.member.added", count: 1)
            await house.redis.stop()
            for user in 2...6 as ClosedRange<Int64> { try await house.invite(user, to: id) }
            let left = try await house.call("DELETE", "/v1/workspaces/\(id)/exit", user: 2)
            #expect(left.status == 200)
            try await house.redis.start()
            _ = try await FactStream(redis: house.redis).bodies(of: "workspace.member.removed", count: 1)
            let facts = try await FactStream(redis: house.redis).all().filter { $0.type.contains("member") }
            #expect(facts.map { $0.body["user_id"]?.string } == ["1", "2", "3", "4", "5", "6", "2"])
        }
    }

    @Test("Facts that a Redis has lost are told again as they were, under the same ids")
    func redisEmpty() async throws {
        try await WorkspaceHouse.use { house in
            let id = try await house.makeWorkspace()
            try await house.invite(2, to: id)
            let stream = FactStream(redis: house.redis)
            _ = try await stream.bodies(of: "workspace.member.added", count: 2)
            try await eventually("noting") {
                try await house.sql("select count(*) from outbox where published_at is null") == "0"
            }
            let before = try await stream.all()
            let redis = house.redis
            try await onOwnThread {
                Result {
                    let connection = try RawConnection(port: redis.port)
                    try connection.send("FLUSHALL\r\n")
                    _ = try connection.receive(until: "\r\n")
                }
            }.get()
            await redis.kill()
            try await house.invite(3, to: id)
            try await redis.start()
            _ = try await stream.bodies(of: "workspace.member.added", count: 3)
            #expect(try await Array(stream.all().prefix(before.count)) == before)
        }
    }

    @Test("A removal is told within a second of its reply, as fact and as hint, and access is gone with the reply")
    func removal() async throws {
        try await WorkspaceHouse.use { house in
            let id = try await house.makeWorkspace()
            let channel = try await house.makeChannel("general", in: id)
            let hints = try RawConnection(port: house.redis.port)
            try hints.send("SUBSCRIBE invalidate:access\r\nPING\r\n")
            _ = try await onOwnThread { Result { try hints.receive(until: "pong\r\n$0\r\n\r\n") } }.get()
            for user in 2...6 as ClosedRange<Int64> {
                try await house.invite(user, to: id)
                try await house.join(user, channel)
                let path = user % 2 == 0 ? "/v1/workspaces/\(id)/exit" : "/v1/workspaces/\(id)/channels/\(channel)/exit"
                let reply = try await house.call("DELETE", path, user: user)
                #expect(reply.status == 200)
                let access = try await house.ask(
                    "POST", "/internal/access",
                    json: #"{"user_id":"\#(user)","channels":["\#(channel)"],"workspaces":["\#(id)"]}"#)
                let role = try access.json["channels"]?[0]?["role"]?.string
                #expect(role == (user % 2 == 0 ? nil : "visible"))
                #expect(try access.json["workspaces"]?.elements.map(Array.init)?.count == (user % 2 == 0 ? 0 : 1))
            }
            try await eventually("telling") {
                try await house.sql("select count(*) from outbox where published_at is null") == "0"
            }
            // Of all that was told; on a machine that is busy with other tests some may come late.
            let isQuick = try await house.sql(
                """
                select count(*) filter (where published_at - created_at > 1000) <= greatest(1, count(*) / 4)
                from outbox
                """)
            #expect(isQuick == "t")
            try hints.send("PING\r\n")
            let heard = try await onOwnThread { Result { try hints.receive(until: "pong\r\n$0\r\n\r\n") } }.get()
            // One for coming and one for going.
            for user in 2...6 {
                let place = user % 2 == 0 ? "" : #","channel_id":"\#(channel)""#
                let hint = #"{"workspace_id":"\#(id)"\#(place),"user_id":"\#(user)"}"#
                #expect(heard.ranges(of: hint).count == 2, "\(hint)")
            }
        }
    }
}
