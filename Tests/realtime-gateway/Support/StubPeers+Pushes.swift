import HTTP
import ServiceSupport
import Wire

/// The provider of pushes.
extension PeersOfGateway {
    mutating func push(_ call: StubCall) -> Response {
        if !refusals.isEmpty {
            let refusal = refusals.removeFirst()
            let error = #"{"error":{"code":\#(refusal.status),"details":[{"errorCode":"\#(refusal.code)"}]}}"#
            var response = Response.json(Array(error.utf8), Status(refusal.status))
            if let retryAfter = refusal.retryAfter { response.headers.append(.retryAfter, retryAfter) }
            return response
        }
        if let message = call.json?["message"] {
            pushes.append((message["token"]?.string ?? "", message))
        }
        return .json(#"{"name":"projects/p/messages/1"}"#)
    }
}
