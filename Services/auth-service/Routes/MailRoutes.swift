import Contract
import ServiceKit

/// Tells other services whether the deployment sends mail.
struct MailRoutes: Sendable {
    let mails: MailOutbox

    func registerInternal(in routes: inout InternalRoutes) { routes.add(MailStatusRequest.self, status) }

    func status(_ request: MailStatusRequest) async throws -> MailStatusReply {
        MailStatusReply(isSetUp: mails.isSetUp)
    }
}
