import EventLoop

/// Two started, connected sockets with their recording handlers.
///
/// - Note: `@unchecked Sendable` because both ends are used only on the loop that made them.
struct Ends: @unchecked Sendable {
    let near: StreamSocket
    let far: StreamSocket
    let nearSide = RecordingHandler()
    let farSide = RecordingHandler()

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
