/// A resource that a test starts and stops.
public protocol Stoppable: Sendable {
    func stop() async
}

extension Stoppable {
    /// Runs `body`, and stops the resource whether `body` returns or throws.
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
