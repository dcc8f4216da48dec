import Contract
import EventLoop
import HTTP
import ServiceSupport
import Synchronization
import Wire

/// Stubs of workspace-service, chat-service and payment-service.
final class PeerStubs: Sendable {
    private let coworkers = Mutex<Set<String>>([])
    private let coins = Mutex<Int?>(40)
    private let sharedWorkspaces = Mutex<[String]>([])

    private let invitation = Mutex<InvitationMail?>(nil)
    private let exports = Mutex(Exports())
    private let acts = Mutex<[String]>([])
    private let joining = Mutex<@Sendable () async throws -> Void>({})

    /// The entries of the audit log of operators, as `act subject outcome`.
    var operatorActs: [String] { acts.withLock(\.self) }

    /// The services' data for exports.
    private struct Exports: Sendable {
        var files: [String: [UInt8]] = [:]
        var isFailing = false
    }

    /// Sets chat-service's files, and whether payment-service fails.
    func setExport(files: [String: [UInt8]] = [:], isFailing: Bool = false) {
        exports.withLock { $0 = Exports(files: files, isFailing: isFailing) }
    }

    /// Sets the values of the mail of every invitation; nil if none is wanted.
    func setInvitation(_ mail: InvitationMail?) { invitation.withLock { $0 = mail } }

    /// Sets the work to do while a user is put into the workspaces of an app.
    func whileJoining(_ work: @escaping @Sendable () async throws -> Void) { joining.withLock { $0 = work } }

    /// Makes the user share a workspace with everybody.
    func shareWorkspace(_ id: String) { coworkers.withLock { _ = $0.insert(id) } }

    /// Sets everybody's balance; nil makes payment-service fail.
    func setCoins(_ number: Int?) { coins.withLock { $0 = number } }

    /// Sets the workspaces that every user owns and shares.
    func setSharedWorkspaces(_ ids: [String]) { sharedWorkspaces.withLock { $0 = ids } }

    func answer(_ request: Request) async throws -> Response {
        // The name of the service, and the path.
        let target = String(decoding: request.path, as: UTF8.self).split(separator: "/", maxSplits: 1)
        let (service, path) = (target.first ?? "", "/" + (target.last ?? ""))
        if path.contains("/export") { return exported(service, path, QueryParameters(request.query ?? [])) }
        if path.hasSuffix("/shared-workspaces") {
            let ids = sharedWorkspaces.withLock(\.self)
            return .json(JSONWriter.bytes { $0.object { $0.field("ids", ids) } })
        }
        if path.hasPrefix("/internal/invitations/") {
            return invitation.withLock { $0 }.map { .json($0.encoded()) } ?? .refusal(404, "E13")
        }
        if path == "/internal/operators/acts" {
            let json = try JSONValue(parsing: try await request.body.collect(upTo: 65_536))
            let (act, subject) = (json.string("act") ?? "", json.string("subject") ?? "")
            acts.withLock { $0.append("\(act) \(subject) \(json.string("outcome") ?? "begun")") }
            return .json(Array("{}".utf8))
        }
        if path == "/internal/acquaintances" {
            let json = try JSONValue(parsing: try await request.body.collect(upTo: 65_536))
            let known = coworkers.withLock { $0 }
            let ids = (json["others"]?.elements?.compactMap(\.string) ?? []).filter(known.contains)
            return .json(JSONWriter.bytes { $0.object { $0.field("ids", ids) } })
        }
        if path == "/internal/balances", let coins = coins.withLock({ $0 }) {
            let json = try JSONValue(parsing: try await request.body.collect(upTo: 65_536))
            let ids = json["ids"]?.elements?.compactMap(\.string) ?? []
            let balances = ids.map { #"{"user_id":"\#($0)","balance":\#(coins)}"# }
            return .json(Array(#"{"balances":[\#(balances.joined(separator: ","))]}"#.utf8))
        }
        guard path == "/internal/auto-join" else { return Response(.serviceUnavailable) }
        try await joining.withLock(\.self)()
        return .json(Array("{}".utf8))
    }

    /// All services are one server here, which tells them apart by the beginning of the path.
    private func exported(_ service: Substring, _ path: String, _ query: QueryParameters?) -> Response {
        let exports = exports.withLock(\.self)
        if exports.isFailing { return Response(.serviceUnavailable) }
        if path.hasSuffix("/file") {
            guard let bytes = query?["name"].flatMap({ exports.files[$0] }),
                let offset = query?["offset"].flatMap({ Int($0) })
            else { return Response(.notFound) }
            let piece = bytes.dropFirst(offset).prefix(1 << 20)
            return .json(
                JSONWriter.bytes { json in
                    json.object { json in
                        json.field("bytes", Base64.encode(piece.span, .standard))
                        json.field("size", bytes.count)
                    }
                })
        }
        let files = exports.files.keys.map { "\"\($0)\"" }.joined(separator: ",")
        switch (service, query?["cursor"]) {
        case ("workspace", _):
            return .json(
                Array(#"{"sections":[{"name":"memberships","records":[{"workspace_id":"1"}]}],"files":[]}"#.utf8))
        case ("chat", nil):
            let records = #"[{"content":"one"},{"content":"two"}]"#
            return .json(
                Array(
                    #"{"sections":[{"name":"messages","records":\#(records)}],"files":[\#(files)],"next":"m:2"}"#.utf8))
        case ("chat", _):
            return .json(Array(#"{"sections":[{"name":"messages","records":[{"content":"three"}]}],"files":[]}"#.utf8))
        default:
            return .json(Array(#"{"sections":[{"name":"ledger","records":[{"amount":1}]}],"files":[]}"#.utf8))
        }
    }
}
