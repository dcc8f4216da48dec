/// Writes the body of a streamed reply, on the loop of its connection.
public struct BodyWriter: Sendable {
    let connection: ServerConnection

    /// Sends `bytes` behind earlier ones; waits while the client is slow to take them.
    ///
    /// - Throws: `BodyError.disconnected` if the client has gone, `tooLarge` beyond the promised length.
    public func write(_ bytes: [UInt8]) async throws(BodyError) { try await connection.writeBody(bytes) }
}
