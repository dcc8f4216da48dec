/// What a test starts for itself, and stops when it is done.
public protocol Stoppable: Sendable {
    func stop() async
}

extension Stoppable {
    /// Runs `body`, and stops whether `body` ends well or throws.
    public func lent(to body: (Self) async throws -> Void) async throws {
        do {
            try await body(self)
        } catch {
            await stop()
            throw error
        }
        await stop()
    }
}
