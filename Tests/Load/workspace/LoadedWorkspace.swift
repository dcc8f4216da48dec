import HTTP
import LoadClient
import ServiceSupport
import TestSupport

/// The built workspace-service under load, with 500 users, each in 50 of the 1,000 channels of a workspace.
struct LoadedWorkspace: Stoppable {
    static let users = 500
    static let workspace = 1_000_000
    /// The first of the channels, the default one.
    static let channel = 2_000_000
    static let channels = 1000
    static let channelsOfUser = 50

    let service: LoadedService
    /// A stub of auth-service, as far as the service under load needs it.
    let auth: StubServer<Auth>

    struct Auth: StubState {
        mutating func answer(_ call: StubCall) -> Response? { nil }
    }

    init() async throws {
        auth = try StubServer()
        service = try await LoadedService.start(
            "workspace-service", ["auth_url": auth.url])
        try await fill()
    }

    var database: TestDatabase { service.database }

    private func fill() async throws {
        try await database.run(
            sql: """
                set search_path to workspace;
                begin;
                insert into workspace (id, name, name_key, description, image, owner, created_at)
                    overriding system value values (\(Self.workspace), 'load', 'load', '', '/static/workspaces/x.png', 1, 1);
                insert into channel (id, workspace, name, name_key, description, owner, is_default, created_at)
                    overriding system value
                    select \(Self.channel) + n, \(Self.workspace), 'channel ' || n, 'channel ' || n, 'what it is about', 1,
                        n = 0, 1700000000000 + n
                    from generate_series(0, \(Self.channels - 1)) n;
                insert into member select \(Self.workspace), u, 1 from generate_series(1, \(Self.users)) u;
                insert into channel_member
                    select \(Self.channel) + n, 1, \(Self.workspace), 1 from generate_series(0, \(Self.channels - 1)) n
                    on conflict do nothing;
                insert into channel_member
                    select \(Self.channel) + case when k = 0 then 0 else 1 + (u * 7 + k * 13) % \(Self.channels - 1) end,
                        u, \(Self.workspace), 1
                    from generate_series(2, \(Self.users)) u, generate_series(0, \(Self.channelsOfUser - 1)) k;
                commit
                """)
        try await database.run(sql: "vacuum analyze")
    }

    func stop() async {
        await service.stop()
        await auth.stop()
    }
}
