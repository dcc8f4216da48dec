/// Writes the body of a streamed reply, on the loop of its connection.
public struct BodyWriter: Sendable {
    let connection: ServerConnection

    /// Sends `bytes` behind what was written before; waits while the client is slow to take it.
    ///
    /// - Throws: `BodyError.disconnected` when nobody reads any more, `tooLarge` beyond the length that was promised.
    public func write(_ bytes: [UInt8]) async throws(BodyError) { try await connection.writeBody(bytes) }
}
