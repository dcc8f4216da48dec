import Wire

/// An access token of PortOne V1.
struct PortOneV1Token: Sendable, Equatable {
    let text: String
    /// The expiry by our clock, computed from the token's lifetime because the provider's clock may be wrong.
    let expiresAt: ContinuousClock.Instant

    /// A token is not used this close to its expiry.
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

    func isValid(at now: ContinuousClock.Instant) -> Bool { now + Self.margin < expiresAt }
}
