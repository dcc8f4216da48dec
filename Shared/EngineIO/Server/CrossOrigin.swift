internal import HTTP

/// The origins of browser pages that may use the server.
///
/// This only informs browsers; the handshake's acceptance decides about access.
public enum CrossOrigin: Sendable {
    /// No other origin; no header is sent.
    case refused
    /// All origins, but without cookies.
    case anyone
    /// The origins that the function accepts, with cookies.
    case allowed(@Sendable (_ origin: String) -> Bool)

    /// The fields of a reply to a request from a page of another origin.
    func headers(for request: Request) -> Headers {
        var headers = Headers()
        switch self {
        case .refused: break
        case .anyone: headers.append("Access-Control-Allow-Origin", "*")
        case .allowed(let isAllowed):
            headers.append(.vary, "Origin")
            if let origin = request.headers.text(.origin), isAllowed(origin) {
                headers.append("Access-Control-Allow-Origin", origin)
                headers.append("Access-Control-Allow-Credentials", "true")
            }
        }
        return headers
    }

    /// The reply to a preflight request.
    func preflight(_ request: Request) -> Response {
        var response = Response(.noContent, headers: headers(for: request))
        guard response.headers.contains("Access-Control-Allow-Origin") else { return response }
        response.headers.append("Access-Control-Allow-Methods", "GET,POST")
        if let wanted = request.headers.text("Access-Control-Request-Headers") {
            response.headers.append("Access-Control-Allow-Headers", wanted)
        }
        response.headers.append("Access-Control-Max-Age", "600")
        return response
    }
}
