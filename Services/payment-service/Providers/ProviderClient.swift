import HTTP
import ServiceKit

/// Sends the requests of lookups to providers.
struct ProviderClient: Sendable {
    let http: ProviderHTTP
    /// The time-out of each request.
    let deadline: Duration

    private static let replyLimit = 256 * 1024

    /// Runs a lookup to its end.
    func run(_ conversation: any ProviderConversation) async -> ProviderAnswer {
        var conversation = conversation
        var step = conversation.begin(at: .now)
        while true {
            switch step {
            case .finish(let answer):
                return answer
            case .ask(let request):
                guard let reply = await send(request) else {
                    return .unusable(ProviderFault("the payment provider does not answer"))
                }
                step = conversation.receive(reply, at: .now)
            }
        }
    }

    private func send(_ request: ProviderRequest) async -> ProviderReply? {
        var call = HTTPClient.Request(request.body == nil ? .get : .post, request.url, body: request.body ?? [])
        call.deadline = deadline
        call.maximumReplySize = Self.replyLimit
        if request.body != nil { call.headers.append(.contentType, "application/json") }
        if let authorization = request.authorization { call.headers.append(.authorization, authorization) }
        guard let reply = try? await http.send(call) else { return nil }
        return ProviderReply(status: Int(reply.status.code), body: reply.body)
    }
}
