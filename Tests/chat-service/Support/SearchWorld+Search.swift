import ServiceSupport
import TestSupport
import Wire

@testable import chat_service

extension SearchWorld {
    /// Waits until the index has every change and the service knows every block.
    func settle() async throws {
        let (chat, model) = (chat, model)
        for user in 1...4 as ClosedRange<Int64> {
            try await eventually("the blocks of user \(user)") {
                // A search without words shows the authors that the service does not hide.
                try await Self.authors(chat, for: user).isDisjoint(with: model.blocked[user] ?? [])
            }
        }
        try await chat.untilIndexed()
        let unblocked = SearchModel.Query(after: .earliest, typed: ["이후:2020-01-01"])
        for user in 1...4 as ClosedRange<Int64> {
            let expected = model.scan(unblocked, for: user)
            try await eventually("all messages of user \(user)") {
                try await Self.found(chat, unblocked, "", for: user) == expected
            }
        }
    }

    private static func authors(_ chat: ChatHarness, for user: Int64) async throws -> Set<Int64> {
        let reply = try await chat.search("after:2020-01-01", "&limit=200", user: user)
        let users = try reply.json["items"]?.elements?.compactMap { $0["message"]?["user"]?["user_id"]?.string } ?? []
        return Set(users.compactMap { Int64($0) })
    }

    /// The keys of the messages on all pages of a search.
    func found(_ query: SearchModel.Query, _ parameters: String, for user: Int64) async throws -> [String] {
        try await Self.found(chat, query, parameters, for: user)
    }

    private static func found(
        _ chat: ChatHarness, _ query: SearchModel.Query, _ parameters: String, for user: Int64
    ) async throws -> [String] {
        var (keys, cursor): ([String], String) = ([], "")
        repeat {
            let reply = try await chat.search(
                query.text, "\(query.parameters)\(parameters)&cursor=\(cursor)", user: user)
            let json = try reply.json
            guard reply.status == 200, let items = json["items"]?.elements, json["complete"]?.bool == true else {
                throw NeverHappened(description: "\(query.text) \(query.parameters): \(reply.status) \(reply.text)")
            }
            keys += items.map { "\($0["room"]?.string ?? "") \($0["message"]?["seq"]?.int ?? 0)" }
            cursor = json["next"]?.string ?? ""
        } while !cursor.isEmpty
        return keys
    }
}
