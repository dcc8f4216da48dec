import Contract
import ServiceKit

/// Tells other services whether the deployment sends mail, and mails their notices.
struct MailRoutes: Sendable {
    let mails: MailOutbox

    func registerInternal(in routes: inout InternalRoutes) {
        routes.add(MailStatusRequest.self, status)
        routes.add(NoticeRequest.self, notify)
    }

    func notify(_ request: NoticeRequest) async throws -> EmptyReply {
        let template: MailTemplate =
            switch request.kind {
            case .webhookOff: .webhookOff
            }
        try await mails.notify(request.user, template, detail: request.detail)
        return EmptyReply()
    }

    func status(_ request: MailStatusRequest) async throws -> MailStatusReply {
        MailStatusReply(isSetUp: mails.isSetUp)
    }
}
