import Wire

/// What lets us ask PortOne V1, for as long as their clock says.
struct PortOneV1Token: Sendable, Equatable {
    let text: String
    /// By our clock, counted from when it came: theirs may go wrong.
    let expiresAt: ContinuousClock.Instant

    /// So long before its end it is not used any more.
    static let margin = Duration.seconds(30)

    /// Reads the reply to `POST /users/getToken`.
    init?(_ reply: ProviderReply, at now: ContinuousClock.Instant) {
        guard reply.status == 200, let json = try? JSONValue(parsing: reply.body), json["code"]?.int == 0,
            let response = json["response"], let text = response["access_token"]?.string, !text.isEmpty,
            let theirNow = response["now"]?.int, let end = response["expired_at"]?.int
        else { return nil }
        self.text = text
        expiresAt = now + .seconds(min(max(0, end.subtractingReportingOverflow(theirNow).partialValue), 86_400))
    }

    func isGood(at now: ContinuousClock.Instant) -> Bool { now + Self.margin < expiresAt }
}
