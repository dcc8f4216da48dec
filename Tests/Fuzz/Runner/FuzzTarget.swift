import Glibc

/// A parser that gets arbitrary input from the fuzzer. It fails by a trap, or by an error that the address sanitizer
/// finds.
struct FuzzTarget: Sendable {
    let `try`: @Sendable ([UInt8]) -> Void

    init(_ try: @escaping @Sendable ([UInt8]) -> Void) {
        self.try = `try`
    }

    /// The target named by the environment variable `FUZZ_TARGET`.
    static let chosen = getenv("FUZZ_TARGET").flatMap { all[String(cString: $0)] }

    static let all: [String: FuzzTarget] = [
        "deflate": .deflate,
        "engineio-payload": .enginePayload,
        "engineio-session": .engineSession,
        "http-body": .httpBody,
        "http-fields": .httpFields,
        "http-head": .httpHead,
        "image": .image,
        "json": .json,
        "json-writer": .jsonWriter,
        "jwks": .jwks,
        "jwt": .jwt,
        "multipart": .multipart,
        "outside-url": .outsideURL,
        "planted": .planted,
        "resp": .resp,
        "socketio": .socketIO,
        "time": .time,
        "trace": .trace,
        "url": .url,
        "utf8": .utf8,
        "websocket": .webSocket,
        "websocket-handshake": .webSocketHandshake,
    ]
}

/// Traps unless `condition` holds, in debug and release builds.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    precondition(condition, message())
}
