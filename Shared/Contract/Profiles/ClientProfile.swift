internal import Wire

/// How the client apps of one API key speak: which generation, and the habits that their replies must respect.
public struct ClientProfile: Sendable, Equatable {
    /// The two generations of paths and shapes.
    public enum Generation: String, Sendable, CaseIterable {
        case january2024 = "2024-01"
        case july2024 = "2024-07"
    }

    /// Which HTTP statuses a client can bear.
    public enum Statuses: String, Sendable {
        /// 200, 400 and 500 only.
        case legacy
        /// True statuses and problem documents.
        case http
    }

    /// What becomes of a refresh token when it is used.
    public enum RefreshToken: String, Sendable {
        case fixed, rotates
    }

    /// What an event received twice does to the client.
    public enum RepeatedEvent: String, Sendable {
        case harmless, fatal
    }

    /// How a missing phone number is written.
    public enum NullPhone: String, Sendable {
        case null, empty
    }

    /// How lists of workspaces are sorted by creation.
    public enum WorkspaceOrder: String, Sendable {
        case oldest, newest
    }

    /// Stands in logs, metrics and tokens; unique.
    public let name: String
    public let generation: Generation
    public let statuses: Statuses
    public let accessTokenLifetime: Duration
    public let refreshTokenLifetime: Duration
    public let refreshToken: RefreshToken
    /// Whether the session that sent a message gets its event.
    public let echo: Bool
    public let repeatedEvent: RepeatedEvent
    /// Milliseconds by which a cursor is before the message that it means.
    public let earlyCursor: Int
    /// Whether dates without a zone are understood (UTC as cursor, KST in unread counts).
    public let naiveDates: Bool
    /// Whether the description of a workspace comes as Swift prints an optional text: `Optional("text")` means `text`.
    public let unwrapsOptional: Bool
    public let nullPhone: NullPhone
    public let workspaceOrder: WorkspaceOrder
    /// Slugs of the workspaces that every account of this key is in.
    public let autoJoin: [String]
}

extension ClientProfile {
    /// The profile of calls that come from no client app, such as a provider's webhook: true statuses, nothing special.
    public static let ofNobody = ClientProfile(
        name: "none", generation: .july2024, statuses: .http, accessTokenLifetime: .zero, refreshTokenLifetime: .zero,
        refreshToken: .rotates, echo: true, repeatedEvent: .harmless, earlyCursor: 0, naiveDates: false,
        unwrapsOptional: false, nullPhone: .null, workspaceOrder: .newest, autoJoin: [])
}

extension ClientProfile {
    /// Reads a profile as `clients.json` holds it; every member is required, none is ignored.
    init(json: JSONValue, key: String) throws(ClientProfileError) {
        var members = try Members(json, of: key)
        name = try members.text("profile")
        generation = try members.choice("generation")
        statuses = try members.choice("statuses")
        accessTokenLifetime = try members.seconds("access_token_lifetime")
        refreshTokenLifetime = try members.seconds("refresh_token_lifetime")
        refreshToken = try members.choice("refresh_token")
        echo = try members.flag("echo")
        repeatedEvent = try members.choice("repeated_event")
        earlyCursor = try members.number("early_cursor_ms")
        naiveDates = try members.flag("naive_dates")
        unwrapsOptional = try members.flag("unwraps_optional")
        nullPhone = try members.choice("null_phone")
        workspaceOrder = try members.choice("workspaces")
        autoJoin = try members.texts("auto_join")
        try members.refuseOthers()
    }
}

/// The members of one profile; each is taken once, so that what nobody asked for is left over.
private struct Members {
    private let key: String
    private var left: [String: JSONValue]

    init(_ json: JSONValue, of key: String) throws(ClientProfileError) {
        guard let members = json.members else { throw ClientProfileError("\(key): not an object") }
        self.key = key
        left = Dictionary(members.map { ($0.name, $0.value) }) { _, last in last }
    }

    private mutating func take<Value>(
        _ name: String, _ read: (JSONValue) -> Value?
    ) throws(ClientProfileError) -> Value {
        guard let value = left.removeValue(forKey: name).flatMap(read) else {
            throw ClientProfileError("\(key): \(name) is missing or not valid")
        }
        return value
    }

    mutating func text(_ name: String) throws(ClientProfileError) -> String { try take(name, \.string) }

    mutating func flag(_ name: String) throws(ClientProfileError) -> Bool { try take(name, \.bool) }

    mutating func number(_ name: String) throws(ClientProfileError) -> Int { try take(name, \.int) }

    mutating func seconds(_ name: String) throws(ClientProfileError) -> Duration {
        try take(name) { value in value.int.flatMap { $0 > 0 ? .seconds($0) : nil } }
    }

    mutating func choice<Choice: RawRepresentable<String>>(_ name: String) throws(ClientProfileError) -> Choice {
        try take(name) { $0.string.flatMap(Choice.init(rawValue:)) }
    }

    mutating func texts(_ name: String) throws(ClientProfileError) -> [String] {
        try take(name) { value in
            guard let elements = value.elements else { return nil }
            let texts = elements.map(\.string)
            return texts.contains(nil) ? nil : texts.compactMap { $0 }
        }
    }

    func refuseOthers() throws(ClientProfileError) {
        if let other = left.keys.min() { throw ClientProfileError("\(key): unknown member \(other)") }
    }
}
