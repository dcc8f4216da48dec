import Contract
import HTTP
import ServiceKit
import Wire

/// Channels: create, list, read, edit, delete, leave, transfer. Paths of the first generation contain a channel's name.
struct ChannelRoutes: Sendable {
    let channels: Channels
    let queries: WorkspaceQueries
    let covers: CoverImages
    let imageSize: Int

    func register(in routes: inout PublicRoutes) {
        let (all, body) = ("/v1/workspaces/{id}/channels", BodyLimit.files(1, of: imageSize))
        routes.signedIn(.post, all, body: body, create)
        routes.signedIn(.get, all, list)
        routes.signedIn(.get, "/v1/workspaces/{id}/channels/my", in: .january2024, mine)
        routes.signedIn(.get, "/v1/workspaces/{id}/my-channels", in: .july2024, mine)
        for (generation, one) in [
            (ClientProfile.Generation.january2024, all + "/{name}"), (.july2024, all + "/{channel_id}"),
        ] {
            routes.signedIn(.get, one, in: generation, detail)
            routes.signedIn(.put, one, in: generation, body: body, edit)
            routes.signedIn(.delete, one, in: generation, delete)
            routes.signedIn(.get, one + "/members", in: generation, members)
        }
        routes.signedIn(.delete, all + "/{channel_id}/members/{user_id}", in: .july2024, removeMember)
        routes.native(.put, all + "/{channel_id}/members/{user_id}", addMember)
        routes.signedIn(.get, all + "/{name}/leave", in: .january2024, leave)
        routes.signedIn(.get, all + "/{channel_id}/exit", in: .july2024, leave)
        routes.signedIn(.delete, all + "/{channel_id}/exit", in: .july2024, leave)
        routes.signedIn(.put, all + "/{name}/change/admin/{user_id}", in: .january2024, changeAdmin)
        routes.signedIn(.put, all + "/{channel_id}/transfer/ownership", in: .july2024, transferOwnership)
    }

    func create(_ call: Call, _ caller: Caller) async throws -> Response {
        let id: WorkspaceID = try call.id("id")
        let fields = try await call.fields()
        let name = try NameRules.channel(try fields.text("name"))
        let description = try NameRules.description(try fields.optionalText("description"))
        return try await covers.keeping(fields.file("image"), in: .channels) { image in
            let channel = try await channels.create(
                in: id, name: name, description: description, image: image, by: caller.user)
            return call.created(channel.view())
        }
    }

    func list(_ call: Call, _ caller: Caller) async throws -> Response {
        try await call.reply(queries.channels(of: try call.id("id"), for: caller.user, call.profile))
    }

    func mine(_ call: Call, _ caller: Caller) async throws -> Response {
        try await call.reply(queries.myChannels(of: try call.id("id"), for: caller.user, call.profile))
    }

    func detail(_ call: Call, _ caller: Caller) async throws -> Response {
        try await call.reply(queries.detail(try call.channel(), of: try call.id("id"), for: caller.user, call.profile))
    }

    func members(_ call: Call, _ caller: Caller) async throws -> Response {
        try await call.reply(
            queries.members(of: try call.channel(), of: try call.id("id"), for: caller.user, call.profile))
    }

    func edit(_ call: Call, _ caller: Caller) async throws -> Response {
        let (id, channel): (WorkspaceID, ChannelReference) = (try call.id("id"), try call.channel())
        let fields = try await call.fields()
        let name = try fields.optionalText("name").map(NameRules.channel)
        let description = try NameRules.description(try fields.optionalText("description"))
        return try await covers.keeping(fields.file("image"), in: .channels) { image in
            let edited = try await channels.edit(
                channel, of: id, name: name, description: description, image: image, by: caller.user)
            return call.reply(edited.view())
        }
    }

    func delete(_ call: Call, _ caller: Caller) async throws -> Response {
        try await channels.delete(
            try call.channel(), of: try call.id("id"), by: caller.user, from: call.origin(of: caller))
        covers.removeUnused()
        return call.done()
    }

    func leave(_ call: Call, _ caller: Caller) async throws -> Response {
        let id: WorkspaceID = try call.id("id")
        try await channels.leave(try call.channel(), of: id, caller.user)
        return try await call.reply(queries.myChannels(of: id, for: caller.user, call.profile))
    }

    func removeMember(_ call: Call, _ caller: Caller) async throws -> Response {
        try await channels.remove(
            try call.id("user_id"), from: try call.channel(), of: try call.id("id"), by: caller.user,
            from: call.origin(of: caller))
        return call.done()
    }

    func addMember(_ call: Call, _ caller: Caller) async throws -> Response {
        try await channels.add(
            try call.id("user_id"), to: try call.channel(), of: try call.id("id"), by: caller.user,
            from: call.origin(of: caller))
        return call.done()
    }

    func changeAdmin(_ call: Call, _ caller: Caller) async throws -> Response {
        let channel = try await channels.transferOwnership(
            of: try call.channel(), in: try call.id("id"), to: try call.id("user_id"), by: caller.user)
        return call.reply(channel.view())
    }

    func transferOwnership(_ call: Call, _ caller: Caller) async throws -> Response {
        let (id, channel): (WorkspaceID, ChannelReference) = (try call.id("id"), try call.channel())
        let newOwner = try await call.fields().newOwner()
        let transferred = try await channels.transferOwnership(of: channel, in: id, to: newOwner, by: caller.user)
        return call.reply(transferred.view())
    }
}

extension Call {
    /// The channel of the path: a name in the first generation, an id in the second.
    fileprivate func channel() throws(Failure) -> ChannelReference {
        switch profile.generation {
        case .january2024: .name(try text("name"))
        case .july2024: .id(try id("channel_id"))
        }
    }
}
