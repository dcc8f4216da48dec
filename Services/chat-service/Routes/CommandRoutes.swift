import Contract
import HTTP
import ServiceKit
import Wire

/// The commands of a workspace, their runs, and the addresses to which bots send later answers.
struct CommandRoutes: Sendable {
    let commands: Commands
    let runner: CommandRunner
    let rooms: RoomPath

    func register(in routes: inout PublicRoutes) {
        let path = "/v1/workspaces/{id}/commands"
        routes.native(.post, path, create)
        routes.native(.get, path, list)
        routes.native(.delete, path + "/{command_id}", delete)
        for kind in RoomPath.Kind.allCases {
            routes.native(.post, kind.template + "/commands", body: .text(SendRequest.maxText)) { call, caller in
                try await run(kind, call, caller)
            }
        }
        routes.webhook(
            .post, "/v1\(CommandReceivers.answerAddress){secret}", body: .text(SendRequest.maxText), statuses: .http,
            answer)
    }

    func create(_ call: Call, _ caller: Caller) async throws -> Response {
        let fields = try await call.fields()
        let wish = Commands.Wish(
            name: try fields.text("name"), description: try fields.text("description"),
            hint: try fields.optionalText("hint"), url: try fields.text("url"))
        let made = try await commands.register(
            wish, in: try call.id("id"), by: caller, from: call.origin(of: caller))
        return call.created(
            CommandView(command: made, viewer: caller, secret: commands.signer.secret(of: made.seed)))
    }

    func list(_ call: Call, _ caller: Caller) async throws -> Response {
        let found = try await commands.list(in: try call.id("id"), for: caller.user)
        return call.reply { json in
            json.object { json in
                json.field(
                    "items", found.map { CommandView(command: $0, viewer: caller, secret: nil) }, for: call.profile)
                // A workspace has few commands.
                json.field("next", String?.none)
            }
        }
    }

    func delete(_ call: Call, _ caller: Caller) async throws -> Response {
        try await commands.delete(
            try call.id("command_id"), in: try call.id("id"), by: caller, from: call.origin(of: caller))
        return call.done()
    }

    func run(_ kind: RoomPath.Kind, _ call: Call, _ caller: Caller) async throws -> Response {
        let (room, fields) = try await call.admitted(
            by: { try await rooms.room(kind, of: call, caller, writing: true) }, reading: { try await call.fields() })
        let order = CommandRunner.Order(
            name: try fields.text("name"), text: try fields.optionalText("text") ?? "",
            thread: try fields.reply()?.seq)
        let outcome = try await runner.run(order, in: room.target, by: caller)
        return call.reply { json in
            json.object { json in
                json.field("run_id", outcome.run.description)
                switch outcome.answer {
                case .whispered(let answer):
                    json.field("state", "answered")
                    json.object("answer") { answer.writeMembers(to: &$0) }
                case .said(let message, let target):
                    json.field("state", "answered")
                    json.field("message", RoomMessageView(target, message), for: call.profile)
                case .waiting: json.field("state", "waiting")
                }
            }
        }
    }

    /// Takes `{"text", "visible"}` of a bot.
    func answer(_ call: Call) async throws -> Response {
        let type = call.request.headers.text(.contentType)?.lowercased() ?? "application/json"
        guard type.hasPrefix("application/json") else { throw Failure.invalid("The body must be JSON.") }
        let fields = try await call.fields()
        let answer = try CommandAnswer(
            text: try fields.optionalText("text"), visible: try fields.optionalText("visible"))
        try await runner.answer(try call.text("secret"), answer)
        return call.done()
    }
}
