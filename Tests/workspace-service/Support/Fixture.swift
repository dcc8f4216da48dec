import Glibc
import TestSupport

/// A workspace for a single call, so that calls do not affect each other.
///
/// User 1 owns the workspace and its channel `general`. User 2 and `newOwner` are members of both, user 3 only of the
/// workspace. User 5 owns another workspace.
struct Fixture: Sendable {
    let number: Int

    static let newOwner: Int64 = 7
    /// A bot of every workspace.
    static let bot: Int64 = 12
    /// A user without a workspace.
    static let invitee: Int64 = 8
    /// The body of a call with the token of the fixture's invitation.
    static let token = #"{"token":"token {number}"}"#

    private static let base = 1_000_000

    var workspace: Int { Self.base + number }
    var channel: Int { 2 * workspace }

    /// SQL that adds members and channels to the workspace: 10,000 members, all in `general`, and 1,000 channels.
    var enlarging: String {
        """
        begin;
        insert into member select \(workspace), u, u from generate_series(1001, 10995) as made (u);
        insert into channel_member select \(channel) + c, u, \(workspace), u
            from generate_series(1001, 10995) as made (u), generate_series(0, 1) c;
        insert into channel (workspace, name, name_key, owner, created_at)
            select \(workspace), 'made ' || c, 'made ' || c, 1, 3 from generate_series(1, 998) c;
        insert into channel_member select id, u, workspace, 4 from channel made, unnest('{1,2}'::bigint[]) u
            where workspace = \(workspace) and name like 'made %';
        commit;
        analyze
        """
    }

    /// Creates `count` fixtures in one transaction.
    static func make(_ count: Int, in harness: WorkspaceHarness) async throws -> [Fixture] {
        let fixtures = (0..<count).map { Fixture(number: $0) }
        _ = try await harness.sql(
            """
            begin;
            create temporary table made as
                select \(base) + n as id, n, 1 as owner from generate_series(0, \(count - 1)) n
                union all select \(base) - 1, -1, 5;
            insert into workspace (id, name, name_key, description, image, owner, created_at) overriding system value
                select id, 'w' || n, 'w' || n, '', '/static/workspaces/w' || n || '.png', owner, 1 from made;
            insert into channel (id, workspace, name, name_key, image, owner, is_default, created_at)
                overriding system value
                select 2 * id + 1, id, '일반', '일반', null, owner, true, 1 from made
                union all
                select 2 * id, id, 'general', 'general', '/static/channels/c' || n || '.png', owner, false, 2 from made;
            insert into member select id, u, 1 from made, unnest('{1,2,3,\(newOwner)}'::bigint[]) u where owner = 1
                union all select id, owner, 1 from made where owner = 5;
            insert into channel_member select 2 * workspace + 1, user_id, workspace, 1 from member
                where workspace >= \(base) - 1
                union all
                select 2 * workspace, user_id, workspace, 1 from member
                where workspace >= \(base) - 1 and user_id <> 3;
            insert into invitation (
                id, workspace, kind, seed, token_hash, role, created_by, created_at, expires_at
            ) overriding system value
                select id, id, 'link', 'seed', sha256(convert_to('token ' || n, 'UTF8')), 'member', 1, 1, 9e12::bigint
                from made where owner = 1;
            insert into bot select id, \(bot), 1, 1 from made where owner = 1;
            insert into member select id, \(bot), 1 from made where owner = 1;
            insert into channel_member select 2 * id + 1, \(bot), id, 1 from made where owner = 1;
            insert into join_request (workspace, user_id, text, created_at) select id, \(invitee), '', 1 from made
                where owner = 1;
            commit;
            """)
        for fixture in fixtures {
            try harness.write("workspaces/w\(fixture.number).png")
            try harness.write("channels/c\(fixture.number).png")
        }
        return fixtures
    }
}

extension WorkspaceHarness {
    /// Writes an image into the file store, like an upload.
    func write(_ name: String) throws {
        guard let file = fopen("\(files.path)/\(name)", "w") else { throw NeverHappened(description: name) }
        defer { fclose(file) }
        fwrite(Form.Image.png.bytes, 1, Form.Image.png.bytes.count, file)
    }
}
