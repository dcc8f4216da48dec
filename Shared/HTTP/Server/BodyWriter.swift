/// Writes the body of a streamed reply, on the loop of its connection.
public struct BodyWriter: Sendable {
    let connection: ServerConnection

    /// Sends `bytes` after earlier ones; waits while the client is slow to take them.
    ///
    /// - Throws: `BodyError.disconnected` if the client has gone, `tooLarge` beyond the promised length.
    public func write(_ bytes: [UInt8]) async throws(BodyError) {
        if try queue(bytes) { try await waitForClient() }
    }

    /// Queues `bytes` after earlier ones. A producer that holds memory for its next piece uses this, and frees the memory
    /// before it waits.
    ///
    /// - Returns: whether the client is slow, so that `waitForClient` must come before the next piece.
    /// - Throws: as `write`.
    public func queue(_ bytes: [UInt8]) throws(BodyError) -> Bool { try connection.queueBody(bytes) }

    /// Waits until the client has taken everything that was queued.
    public func waitForClient() async throws(BodyError) { try await connection.waitForClient() }
}
