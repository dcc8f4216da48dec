import EventLoop

/// Two started sockets that are connected with each other, and what each was told.
///
/// - Note: `@unchecked Sendable` because both ends are used on the loop that made them only.
struct Ends: @unchecked Sendable {
    let near: StreamSocket
    let far: StreamSocket
    let nearSide = NotingHandler()
    let farSide = NotingHandler()

    init(on loop: EventLoop) async throws {
        let pair = try await SocketPair(on: loop)
        (near, far) = (pair.near, pair.far)
        near.start(nearSide)
        far.start(farSide)
    }

    func close() {
        near.close()
        far.close()
    }
}
