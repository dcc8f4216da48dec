import Contract
import Wire

/// The mails that other services order for their users.
struct NoticeMails: Sendable {
    let outbox: MailOutbox
    let secondFactors: SecondFactorStore

    /// Puts the mail of a notice into the outbox, unless its reason is gone.
    func order(_ request: NoticeRequest) async throws {
        switch request.kind {
        case .webhookOff:
            try await outbox.notify(request.user, .webhookOff, detail: request.detail, key: request.key)
        case .secondFactorRequired:
            // The user may have set up a second factor that the workspace does not know of yet.
            guard try await secondFactors.users(withFactorAmong: [request.user]).isEmpty else { return }
            let demand = MailDemand(workspace: request.detail, due: request.due ?? .now)
            try await outbox.notify(request.user, .secondFactorRequired, detail: demand.detail, key: request.key)
        }
    }
}
