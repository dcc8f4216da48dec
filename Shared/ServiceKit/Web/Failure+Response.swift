internal import Contract
internal import EventLoop
internal import HTTP
internal import Telemetry
internal import Wire

extension Failure {
    /// The reply for the failure, in the form that the client's profile asks for.
    ///
    /// - Parameter request: the id of the call; nil if its head could not be read. The legacy form has it in a header only.
    func response(for statuses: ClientProfile.Statuses, to request: RequestID?) -> Response {
        var response: Response
        switch statuses {
        case .legacy:
            response = .json(body { _ in }, Status(UInt16(code.legacyStatus)))
        case .http:
            response = Response(
                Status(UInt16(status)), type: "application/problem+json",
                body { json in
                    json.field("type", "about:blank")
                    json.field("title", String(describing: Status(UInt16(status)).reason))
                    json.field("status", status)
                    if let request { json.field("requestId", request.description) }
                })
        }
        addRetryAfter(to: &response)
        return response
    }

    /// Adds the header that says when the call may be repeated, in whole seconds.
    func addRetryAfter(to response: inout Response) {
        guard let retryAfter else { return }
        response.headers.append(.retryAfter, Int(max(1, (retryAfter.wholeMilliseconds + 999) / 1000)))
    }

    private func body(_ more: (inout JSONWriter) -> Void) -> [UInt8] {
        JSONWriter.bytes(capacity: 96) { json in
            json.object { json in
                json.field("errorCode", code.rawValue)
                more(&json)
                json.field("detail", detail)
            }
        }
    }
}
