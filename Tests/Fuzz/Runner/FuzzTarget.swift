import Glibc

/// A parser that is given whatever the fuzzer thinks of. It fails by trapping, or by what the address sanitizer finds.
struct FuzzTarget: Sendable {
    let `try`: @Sendable ([UInt8]) -> Void

    init(_ try: @escaping @Sendable ([UInt8]) -> Void) {
        self.try = `try`
    }

    /// The target that the environment's `FUZZ_TARGET` names.
    static let chosen = getenv("FUZZ_TARGET").flatMap { all[String(cString: $0)] }

    static let all: [String: FuzzTarget] = [
        "deflate": .deflate,
        "engineio-payload": .enginePayload,
        "engineio-session": .engineSession,
        "http-body": .httpBody,
        "http-fields": .httpFields,
        "http-head": .httpHead,
        "json": .json,
        "json-writer": .jsonWriter,
        "jwks": .jwks,
        "jwt": .jwt,
        "multipart": .multipart,
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

/// Traps unless `condition` holds, in every build.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    precondition(condition, message())
}
