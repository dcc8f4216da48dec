internal import Wire

/// The values that an API key selects: the generation and the quirks of its client apps.
public struct ClientProfile: Sendable, Equatable {
    /// The two generations of paths and shapes.
    public enum Generation: String, Sendable, CaseIterable {
        case january2024 = "2024-01"
        case july2024 = "2024-07"
    }

    /// The API that a client uses.
    public enum API: String, Sendable {
        /// The routes, members and events of its generation.
        case shipped
        /// Also the routes, members and events that the shipped apps do not know.
        case native
    }

    /// The shape of all entities that a client is sent. Clients of one form are sent the same bytes.
    public enum Form: Sendable, Hashable, CaseIterable {
        case january2024, july2024
        /// The shape of 2024-07 with everything that is new.
        case native
    }

    /// The HTTP statuses that a client understands.
    public enum Statuses: String, Sendable {
        /// 200, 400 and 500 only.
        case legacy
        /// All statuses, and problem documents.
        case http
    }

    /// The fate of a refresh token after its use.
    public enum RefreshToken: String, Sendable {
        case fixed, rotates
    }

    /// How the client reacts to an event that it receives twice.
    public enum RepeatedEvent: String, Sendable {
        case harmless, fatal
    }

    /// How replies write a missing phone number.
    public enum NullPhone: String, Sendable {
        case null, empty
    }

    /// The order of lists of workspaces, by creation.
    public enum WorkspaceOrder: String, Sendable {
        case oldest, newest
    }

    /// The unique name of the profile in logs, metrics and tokens.
    public let name: String
    public let generation: Generation
    public let api: API
    public let statuses: Statuses
    public let accessTokenLifetime: Duration
    public let refreshTokenLifetime: Duration
    public let refreshToken: RefreshToken
    /// Whether the session that sent a message receives its event.
    public let echo: Bool
    public let repeatedEvent: RepeatedEvent
    /// Milliseconds by which the client's cursor is earlier than the message that it means.
    public let earlyCursor: Int
    /// Whether the client sends dates without a zone: UTC as cursor, KST in unread counts.
    public let naiveDates: Bool
    /// Whether the client sends descriptions of workspaces as Swift prints an optional: `Optional("text")` means
    /// `text`.
    public let unwrapsOptional: Bool
    public let nullPhone: NullPhone
    public let workspaceOrder: WorkspaceOrder
    /// The slugs of the workspaces that every account of this key joins.
    public let autoJoin: [String]
    /// The content of a deleted message for clients that know no deletion.
    public let deletedText: String
    /// The content of a message of a blocked author for clients that know no blocks.
    public let blockedText: String

    public static let defaultDeletedText = "삭제된 메시지입니다."
    public static let defaultBlockedText = "차단한 사용자의 메시지입니다."

    public var isNative: Bool { api == .native }

    public var form: Form {
        if api == .native { return .native }
        return generation == .january2024 ? .january2024 : .july2024
    }
}

extension ClientProfile {
    /// The profile of calls that come from no client app, such as a provider's webhook. It has all statuses and no
    /// quirks.
    public static let ofNobody = ClientProfile(
        name: "none", generation: .july2024, api: .shipped, statuses: .http, accessTokenLifetime: .zero,
        refreshTokenLifetime: .zero,
        refreshToken: .rotates, echo: true, repeatedEvent: .harmless, earlyCursor: 0, naiveDates: false,
        unwrapsOptional: false, nullPhone: .null, workspaceOrder: .newest, autoJoin: [],
        deletedText: defaultDeletedText, blockedText: defaultBlockedText)

    /// The profile for servers that receive events: native views.
    public static let ofReceivers = ClientProfile(
        name: "none", generation: .july2024, api: .native, statuses: .http, accessTokenLifetime: .zero,
        refreshTokenLifetime: .zero,
        refreshToken: .rotates, echo: true, repeatedEvent: .harmless, earlyCursor: 0, naiveDates: false,
        unwrapsOptional: false, nullPhone: .null, workspaceOrder: .newest, autoJoin: [],
        deletedText: defaultDeletedText, blockedText: defaultBlockedText)
}

extension ClientProfile {
    /// Reads a profile of `clients.json`. Only `api`, `deleted_text` and `blocked_text` may be missing, and an unknown member
    /// is an error.
    init(json: JSONValue, key: String) throws(ClientProfileError) {
        var members = try Members(json, of: key)
        name = try members.text("profile")
        generation = try members.choice("generation")
        api = try members.optional("api", API.shipped) { $0.string.flatMap(API.init(rawValue:)) }
        guard api == .shipped || generation == .july2024 else {
            throw ClientProfileError("\(key): the native api needs generation 2024-07")
        }
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
        deletedText = try members.optionalText("deleted_text", Self.defaultDeletedText)
        blockedText = try members.optionalText("blocked_text", Self.defaultBlockedText)
        try members.refuseOthers()
    }
}

/// The members of one profile. Reading a member removes it, so that the unknown members are left at the end.
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

    /// A member that may be missing.
    mutating func optional<Value>(
        _ name: String, _ fallback: Value, _ read: (JSONValue) -> Value?
    ) throws(ClientProfileError) -> Value {
        left[name] == nil ? fallback : try take(name, read)
    }

    mutating func text(_ name: String) throws(ClientProfileError) -> String { try take(name, \.string) }

    /// A text that may be missing, but not be empty.
    mutating func optionalText(_ name: String, _ fallback: String) throws(ClientProfileError) -> String {
        try optional(name, fallback) { value in value.string.flatMap { $0.isEmpty ? nil : $0 } }
    }

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
