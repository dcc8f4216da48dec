import Contract
import HTTP
import ServiceKit
import Telemetry
import Wire

/// The end of every sign-in: asks for the second factor if the account has one, else opens a session.
struct SignInFinish: Sendable {
    let sessions: Sessions
    let autoJoin: AutoJoin
    let newDevices: NewDevices
    let tickets: SignInTickets

    /// The result of the first step of a sign-in.
    struct FirstStep: Sendable {
        let account: Account
        /// The version of the password that the user signed in with; nil without a password.
        let credentials: Int64?
        /// The device token for pushes.
        let device: String?
        /// The token of a remembered device.
        let remembered: String?
    }

    /// Replies to a first step: with a session, or with a ticket for the second step.
    func finish(
        _ step: FirstStep, _ call: Call, _ reply: (Sessions.Tokens) -> Response
    ) async throws -> Response {
        let (ticket, version) = try await tickets.ticket(
            for: step.account.id, credentials: step.credentials, remembered: step.remembered, under: call.profile)
        if let ticket { return Self.demand(ticket, of: call) }
        return try await open(
            step.account.id, step.credentials, secondFactor: version, device: step.device, call, reply)
    }

    /// Opens a session after all steps.
    ///
    /// - Parameter version: the version of the second factor that asked for no code; nil after a code.
    func open(
        _ account: UserID, _ credentials: Int64?, secondFactor version: Int64? = nil, device: String?, _ call: Call,
        _ reply: (Sessions.Tokens) -> Response
    ) async throws -> Response {
        // Otherwise an account that may not sign in comes back into the workspaces of the app.
        if !call.profile.autoJoin.isEmpty, try await sessions.store.isDisabled(account) { throw Accounts.disabled }
        try await autoJoin.joinWorkspaces(account, under: call.profile)
        let grant = try await sessions.open(
            account, credentials: credentials, secondFactor: version, under: call.profile, from: call.address,
            device: device)
        await newDevices.signedIn(account, on: call)
        var response = reply(try grant.tokens.shown(to: call))
        try response.attach(grant, for: call)
        return response
    }

    private static func demand(_ ticket: SignInTickets.Ticket, of call: Call) -> Response {
        let failure = Failure(.secondFactor, "The account needs a code of its authenticator app.")
        var response = Response(
            Status(UInt16(failure.status)), type: "application/problem+json",
            JSONWriter.bytes { json in
                json.object { json in
                    json.field("type", "about:blank")
                    json.field("title", "Unauthorized")
                    json.field("status", failure.status)
                    json.field("requestId", call.id.description)
                    json.field("errorCode", failure.code.rawValue)
                    json.field("detail", failure.detail)
                    json.field("ticket", ticket.text)
                    json.field("expiresAt", ticket.expiresAt)
                }
            })
        response.headers.append(.cacheControl, "no-store")
        return response
    }
}
