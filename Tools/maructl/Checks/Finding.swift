import Wire

/// The result of one check of the doctor.
struct Finding: Sendable, Equatable {
    enum Level: String, Sendable {
        case ok
        /// Worth a look; the product works.
        case warning
        case wrong
    }

    let check: String
    let level: Level
    let detail: String

    init(_ check: String, _ level: Level, _ detail: String) {
        self.check = check
        self.level = level
        self.detail = detail
    }
}

extension Finding: JSONWritable {
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("check", check)
            json.field("level", level.rawValue)
            json.field("detail", detail)
        }
    }
}
