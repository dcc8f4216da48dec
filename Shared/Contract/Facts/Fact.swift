public import Wire

/// A durable message about changed state. It goes through the outbox of one service to that service's Redis stream, and
/// each consumer group receives it at least once.
///
/// An entry of the stream has three fields: `id`, unique within the stream, `type`, the raw value of `name`, and
/// `body`, the members that `writeMembers` writes. Each service has one type of facts, an enum with a case for each
/// type of fact, so that a consumer's `switch` does not compile until it handles a new one.
public protocol Fact: Sendable, Equatable {
    /// The types of facts on the stream.
    associatedtype Name: RawRepresentable<String>, CaseIterable, Hashable, Sendable

    /// The short name of the service that publishes the facts, such as `workspace`.
    static var source: String { get }

    var name: Name { get }

    /// Writes the members of the body.
    func write(to json: inout JSONWriter)

    /// Reads a body and ignores unknown members; nil if a member is missing or malformed.
    init?(_ name: Name, _ body: JSONValue)
}

extension Fact {
    /// The name of the Redis stream.
    public static var stream: String { "facts:" + source }

    /// The body as JSON.
    public func encodedBody() -> [UInt8] { JSONWriter.bytes { json in write(to: &json) } }
}
