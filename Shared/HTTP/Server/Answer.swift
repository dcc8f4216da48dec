/// What a server does about a request.
public enum Answer: Sendable {
    /// Sends this reply at once: no task is needed for it, unless its body is a stream.
    case reply(Response)
    /// Sends what this work makes, in a task of its own that is cancelled when the client goes away.
    ///
    /// What the work throws becomes `Refusal.handlerFailed`, a `BodyError` the refusal of its kind.
    case work(@Sendable () async throws -> Response)
}
