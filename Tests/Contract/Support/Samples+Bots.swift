import Contract
import Wire

extension Samples {
    private static let botSecret = BotTokenSecret(hash: [UInt8](repeating: 7, count: 32), prefix: "maru_bot_abc123")

    static let requests: [any InternalRequest] = mostRequests + botRequests + startRequests

    private static let botRequests: [any InternalRequest] = [
        BotIdentityRequest(hash: [UInt8](repeating: 7, count: 32)), BotTokensRequest(bot: UserID(9)),
        NewBotTokenRequest(
            bot: UserID(9), workspace: WorkspaceID(3), maker: UserID(5), name: "빌드", scopes: [.read, .manage],
            profile: "native", secret: botSecret, limit: 10),
        NewBotTokenRequest(
            bot: UserID(9), workspace: WorkspaceID(3), maker: UserID(5), name: "빌드", scopes: [.read],
            profile: "native", secret: botSecret, limit: nil),
        EndBotTokenRequest(bot: UserID(9), token: 4, secret: nil),
        EndBotTokenRequest(bot: UserID(9), token: 4, secret: botSecret),
        EndBotRequest(bot: UserID(9), workspace: WorkspaceID(3)),
    ]

    static let botIdentity = BotIdentity(
        user: UserID(9), session: SessionID(77), profile: "native", scopes: Set(BotScope.allCases))
    static let botTokens = [
        BotTokenReply(
            id: 4, name: "빌드", prefix: "maru_bot_abc123", scopes: [.read], createdAt: Timestamp(milliseconds: 9),
            usedAt: Timestamp(milliseconds: 10)),
        BotTokenReply(
            id: 5, name: "n", prefix: "maru_bot_abc124", scopes: [.write], createdAt: Timestamp(milliseconds: 9),
            usedAt: nil),
    ]
}
