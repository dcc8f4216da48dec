import Contract
import HTTP
import ServiceKit
import Wire

/// The caller's settings.
struct SettingsRoutes: Sendable {
    let preferences: Preferences

    func register(in routes: inout PublicRoutes) {
        routes.native(.get, "/v1/users/me/settings", find)
        routes.native(.put, "/v1/users/me/settings", put)
    }

    func find(_ call: Call, _ caller: Caller) async throws -> Response {
        call.reply(SettingsView(settings: try await preferences.settings(of: caller.user)))
    }

    /// Replaces all settings. Replies with the new ones.
    func put(_ call: Call, _ caller: Caller) async throws -> Response {
        let settings = try UserSettings(json: try await call.json())
        try await preferences.set(settings, by: caller)
        return call.reply(SettingsView(settings: settings))
    }
}

/// Writes settings.
struct SettingsView: View {
    let settings: UserSettings

    func write(to json: inout JSONWriter, for profile: ClientProfile) {
        json.object { json in
            json.field("readReceipts", settings.readReceipts)
            json.field("presence", settings.presence)
            json.field("typing", settings.typing)
            if let quiet = settings.doNotDisturb {
                json.object("doNotDisturb") { json in
                    json.field("from", quiet.from.text)
                    json.field("to", quiet.to.text)
                    json.field("zone", quiet.zone)
                }
            }
            json.field("keywords", settings.keywords)
        }
    }
}

extension UserSettings {
    /// Reads all settings; only `doNotDisturb` may be missing.
    fileprivate init(json: JSONValue) throws(Failure) {
        func flag(_ name: StaticString) throws(Failure) -> Bool {
            guard let flag = json.bool(name) else { throw .invalid("\(name) must be true or false.") }
            return flag
        }
        guard let keywords = json["keywords"]?.array(\.string) else {
            throw .invalid("keywords must be a list of texts.")
        }
        self.init(
            readReceipts: try flag("readReceipts"), presence: try flag("presence"), typing: try flag("typing"),
            doNotDisturb: try json["doNotDisturb"].flatMap { value throws(Failure) in
                value.isNull ? nil : try QuietHours(json: value)
            },
            keywords: try Self.keywords(keywords))
    }
}

extension QuietHours {
    fileprivate init(json: JSONValue) throws(Failure) {
        func time(_ name: StaticString) throws(Failure) -> TimeOfDay {
            guard let time = json.string(name).flatMap(TimeOfDay.init) else {
                throw .invalid("\(name) must be a time of day such as 22:30.")
            }
            return time
        }
        guard let zone = json.string("zone"), !zone.utf8.contains(0), zone.utf8.count <= 64 else {
            throw .invalid("zone must be the name of a time zone such as Asia/Seoul.")
        }
        self.init(from: try time("from"), to: try time("to"), zone: zone)
    }
}
