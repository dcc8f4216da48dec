import Contract
import ServiceKit

/// Tells other services whether the deployment sends mail, and mails their notices.
struct MailRoutes: Sendable {
    let notices: NoticeMails

    func registerInternal(in routes: inout InternalRoutes) {
        routes.add(MailStatusRequest.self, status)
        routes.add(NoticeRequest.self, notify)
    }

    func notify(_ request: NoticeRequest) async throws -> EmptyReply {
        try await notices.order(request)
        return EmptyReply()
    }

    func status(_ request: MailStatusRequest) async throws -> MailStatusReply {
        MailStatusReply(isSetUp: notices.outbox.isSetUp)
    }
}
