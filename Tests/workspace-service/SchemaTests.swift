import TestSupport
import Testing

@testable import workspace_service

@Suite("Constraints of the schema", .serialized)
struct SchemaTests {
    /// Statements that each would break an invariant of a fixture's workspace, with the constraint that prevents it.
    private static let breaches: [(sql: String, constraint: String)] = [
        ("update workspace set owner = 9 where id = W", "workspace_owner_is_member"),
        ("update workspace set owner = null where id = W", "workspace_has_owner"),
        ("update workspace set owner = 2 where id = W", "default_channel_is_owners"),
        ("update channel set owner = 2 where workspace = W and is_default", "default_channel_is_owners"),
        ("update channel set is_default = false where workspace = W", "default_channel_is_owners"),
        ("update channel set is_default = true where workspace = W", "channel_default"),
        ("delete from channel where workspace = W and is_default", "default_channel_is_owners"),
        ("update channel set owner = 3 where id = C", "channel_owner_is_member"),
        ("delete from member where workspace = W and user_id = 1", "workspace_owner_is_member"),
        ("delete from channel_member where channel = C and user_id = 1", "channel_owner_is_member"),
        ("delete from channel_member where channel = C + 1 and user_id = 2", "member_is_in_default_channel"),
        ("update channel_member set channel = C where channel = C + 1 and user_id = 3", "member_is_in_default_channel"),
        ("insert into member values (W, 9, 1)", "member_is_in_default_channel"),
        ("insert into channel_member values (C, 9, W, 1)", "channel_member_workspace_user_id_fkey"),
        ("insert into channel_member values (C, 5, W - 1, 1)", "channel_member_channel_workspace_fkey"),
        (
            "insert into channel (workspace, name, name_key, created_at) values (W, 'x', 'general', 1)",
            "channel_name"
        ),
        (
            """
            insert into workspace (name, name_key, description, image, owner, created_at)
            values ('x', 'w0', '', '', 1, 1)
            """, "workspace_name_key_key"
        ),
        (
            """
            insert into workspace (slug, name, name_key, description, image, created_at)
            values ('s', 'x', 'x', '', '', 1)
            """, "default_channel_is_owners"
        ),
    ]

    @Test(
        "Constraints keep owners members, members in the default channel, and names unique")
    func invariants() async throws {
        try await WorkspaceHarness.use { harness in
            let fixture = try await Fixture.make(1, in: harness)[0]
            let before = try await Self.contents(harness)
            for breach in Self.breaches {
                let sql = breach.sql.replacing(/\bW\b/, with: "\(fixture.workspace)")
                    .replacing(/\bC\b/, with: "\(fixture.channel)")
                do {
                    _ = try await harness.sql("begin; \(sql); commit")
                    Issue.record("\(breach.sql) was accepted")
                } catch let error as NeverHappened {
                    #expect(
                        error.description.contains("\"\(breach.constraint)\"")
                            || error.description.contains(
                                Self.messages[breach.constraint] ?? "\"\(breach.constraint)\""),
                        "\(breach.sql): \(error)")
                }
            }
            #expect(try await Self.contents(harness) == before)
        }
    }

    /// The messages of triggers, since psql does not show the names of their constraints.
    private static let messages = [
        "default_channel_is_owners": "the default channel is its workspace owner",
        "member_is_in_default_channel": "every member is in the default channel",
    ]

    private static func contents(_ harness: WorkspaceHarness) async throws -> String {
        try await harness.sql("table workspace; table member; table channel; table channel_member")
    }
}
