internal import HTTP

/// Which browser pages of other origins may speak with the server.
///
/// It only tells browsers; whoever may open a session is decided when it is accepted.
public enum CrossOrigin: Sendable {
    /// None: no header is sent.
    case refused
    /// All, but without cookies.
    case anyone
    /// Those that the function knows, with cookies.
    case allowed(@Sendable (_ origin: String) -> Bool)

    /// The fields for a reply to a page of the request's origin.
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

    /// The reply to a browser that asks before it sends.
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
