public struct Log: Sendable {
    public init() {}
    public func info(_ message: StaticString, _ fields: [String: String] = [:]) { print(message, fields) }
    public func warning(_ message: StaticString, _ fields: [String: String] = [:]) { print(message, fields) }
    public func error(_ message: StaticString, _ fields: [String: String] = [:]) { print(message, fields) }
}
