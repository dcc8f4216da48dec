import ServiceSupport

/// The expected answers of every route to the roles that `AccessTable` has no persona for.
///
/// User 9 is an admin outside the channel `general`. User 10 is a guest in `general`, and user 11 a guest in no channel.
enum RoleTable {
    enum Role: Int64, CaseIterable, Sendable {
        case admin = 9
        case guest = 10
        case guestOutside = 11
    }

    /// The error code or `ok` for: admin, guest, guest outside the channel.
    static let answers: [String: [String]] = [
        "POST /v1/workspaces": all,
        "GET /v1/workspaces": all,
        "GET /v1/workspaces/{id}": all,
        "PUT /v1/workspaces/{id}": admins,
        "DELETE /v1/workspaces/{id}": nobody,
        "GET /v1/workspaces/{id}/search": all,
        "POST /v1/workspaces/{id}/members": admins,
        "GET /v1/workspaces/{id}/members": all,
        "GET /v1/workspaces/{id}/members/{user_id}": inChannel,
        "DELETE /v1/workspaces/{id}/members/{user_id}": admins,
        "GET /v1/workspaces/{id}/leave": all,
        "GET /v1/workspaces/{id}/exit": all,
        "DELETE /v1/workspaces/{id}/exit": all,
        "PUT /v1/workspaces/{id}/change/admin/{user_id}": nobody,
        "PUT /v1/workspaces/{id}/transfer/ownership": nobody,
        "POST /v1/workspaces/{id}/channels": admins,
        "GET /v1/workspaces/{id}/channels": all,
        "GET /v1/workspaces/{id}/channels/my": all,
        "GET /v1/workspaces/{id}/my-channels": all,
        "GET /v1/workspaces/{id}/channels/{name}": inChannel,
        "GET /v1/workspaces/{id}/channels/{channel_id}": inChannel,
        "PUT /v1/workspaces/{id}/channels/{name}": channelOwners,
        "PUT /v1/workspaces/{id}/channels/{channel_id}": channelOwners,
        "DELETE /v1/workspaces/{id}/channels/{name}": channelManagers,
        "DELETE /v1/workspaces/{id}/channels/{channel_id}": channelManagers,
        "GET /v1/workspaces/{id}/channels/{name}/members": inChannel,
        "GET /v1/workspaces/{id}/channels/{channel_id}/members": inChannel,
        "PUT /v1/workspaces/{id}/channels/{channel_id}/members/{user_id}": channelManagers,
        "DELETE /v1/workspaces/{id}/channels/{channel_id}/members/{user_id}": channelManagers,
        "GET /v1/workspaces/{id}/channels/{name}/leave": leavingChannel,
        "GET /v1/workspaces/{id}/channels/{channel_id}/exit": leavingChannel,
        "DELETE /v1/workspaces/{id}/channels/{channel_id}/exit": leavingChannel,
        "PUT /v1/workspaces/{id}/channels/{name}/change/admin/{user_id}": channelOwners,
        "PUT /v1/workspaces/{id}/channels/{channel_id}/transfer/ownership": channelOwners,
        "GET /v1/workspaces/{id}/role": all,
        "GET /v1/workspaces/{id}/roles": admins,
        "PUT /v1/workspaces/{id}/members/{user_id}/role": admins,
        "GET /v1/workspaces/{id}/bans": admins,
        "PUT /v1/workspaces/{id}/bans/{user_id}": admins,
        "DELETE /v1/workspaces/{id}/bans/{user_id}": admins,
        "GET /v1/workspaces/{id}/audit": admins,
        "POST /v1/workspaces/{id}/bots": admins,
        "GET /v1/workspaces/{id}/bots": admins,
        "DELETE /v1/workspaces/{id}/bots/{bot_id}": admins,
        "POST /v1/workspaces/{id}/bots/{bot_id}/tokens": admins,
        "GET /v1/workspaces/{id}/bots/{bot_id}/tokens": admins,
        "POST /v1/workspaces/{id}/bots/{bot_id}/tokens/{token_id}/secret": admins,
        "DELETE /v1/workspaces/{id}/bots/{bot_id}/tokens/{token_id}": admins,
        "POST /v1/workspaces/{id}/invitations": admins,
        "GET /v1/workspaces/{id}/invitations": admins,
        "DELETE /v1/workspaces/{id}/invitations/{invitation_id}": admins,
        "POST /v1/workspaces/invitations/preview": all,
        "POST /v1/workspaces/invitations/accept": all,
        "POST /v1/workspaces/{id}/join-requests": ["E12", "E12", "E12"],
        "GET /v1/workspaces/{id}/join-requests": admins,
        "PUT /v1/workspaces/{id}/join-requests/{user_id}": admins,
        "DELETE /v1/workspaces/{id}/join-requests": all,
        "GET /v1/workspaces/{id}/settings": admins,
        "PUT /v1/workspaces/{id}/settings": nobody,
        "GET /v1/workspaces/{id}/second-factor": nobody,
        "GET /v1/static/workspaces/{name}": all,
        "GET /v1/static/channels/{name}": inChannel,
        "POST /v1/static/workspaces/links": all,
        "POST /v1/static/channels/links": all,
    ]

    private static let all = ["ok", "ok", "ok"]
    private static let admins = ["ok", "E14", "E14"]
    private static let nobody = ["E14", "E14", "E14"]
    private static let inChannel = ["ok", "ok", "E13"]
    private static let channelOwners = ["E14", "E14", "E13"]
    private static let channelManagers = ["ok", "E14", "E13"]
    private static let leavingChannel = ["E13", "ok", "E13"]

    /// SQL that adds the three users to all fixtures.
    static let members = """
        begin;
        insert into member (workspace, user_id, joined_at, role)
            select id, u, 1, case u when 9 then 'admin' else 'guest' end
            from workspace, unnest('{9,10,11}'::bigint[]) u where id >= 1000000;
        insert into channel_member
            select id, 9, workspace, 1 from channel where is_default and workspace >= 1000000
            union all
            select id, 10, workspace, 1 from channel where name = 'general' and workspace >= 1000000;
        commit
        """
}
