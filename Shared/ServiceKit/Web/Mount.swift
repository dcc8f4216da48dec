public import HTTP

/// A path prefix of the public port with its own protocol, such as Socket.IO.
public struct Mount: Sendable {
    /// Handles all requests below the prefix.
    public typealias Handler = @Sendable (Request) async -> Response

    let prefix: [UInt8]
    let handler: Handler

    /// Whether `path` is the prefix or below it.
    func takes(_ path: ArraySlice<UInt8>) -> Bool {
        path.starts(with: prefix)
            && (path.count == prefix.count || path[path.startIndex + prefix.count] == UInt8(ascii: "/"))
    }
}
