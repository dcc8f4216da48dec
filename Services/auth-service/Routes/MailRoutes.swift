import Contract
import ServiceKit
import Wire

/// Tells other services whether the deployment sends mail, and mails their notices.
struct MailRoutes: Sendable {
    let mails: MailOutbox
    let secondFactors: SecondFactorStore

    func registerInternal(in routes: inout InternalRoutes) {
        routes.add(MailStatusRequest.self, status)
        routes.add(NoticeRequest.self, notify)
    }

    func notify(_ request: NoticeRequest) async throws -> EmptyReply {
        switch request.kind {
        case .webhookOff:
            try await mails.notify(request.user, .webhookOff, detail: request.detail, key: request.key)
        case .secondFactorRequired:
            // The workspace may not have heard of the newest second factors.
            guard try await secondFactors.users(withFactorAmong: [request.user]).isEmpty else { break }
            let demand = MailDemand(workspace: request.detail, due: request.due ?? .now)
            try await mails.notify(request.user, .secondFactorRequired, detail: demand.detail, key: request.key)
        }
        return EmptyReply()
    }

    func status(_ request: MailStatusRequest) async throws -> MailStatusReply {
        MailStatusReply(isSetUp: mails.isSetUp)
    }
}
