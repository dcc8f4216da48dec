public import HTTP

/// A part of the public port that speaks a protocol of its own.
public struct Mount: Sendable {
    /// Answers everything below the prefix.
    public typealias Handler = @Sendable (Request) async -> Response

    let prefix: [UInt8]
    let handler: Handler

    /// The prefix itself, or what is below it.
    func takes(_ path: ArraySlice<UInt8>) -> Bool {
        path.starts(with: prefix)
            && (path.count == prefix.count || path[path.startIndex + prefix.count] == UInt8(ascii: "/"))
    }
}
