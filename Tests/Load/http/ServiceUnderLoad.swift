import HTTP
import LoadClient
import ServiceSupport
import TestSupport

/// The built payment-service with its cheapest route for signed-in clients: the catalogue, which needs no database.
struct ServiceUnderLoad: Stoppable {
    /// The measured route.
    static let target = "/v1/store/item/list"

    let service: LoadedService
    /// The part of auth-service that the service calls.
    private let auth: StubServer<Auth>
    /// Access tokens of several users; the requests use them in turn.
    let tokens: [String]
    /// The body of the reply.
    let reply: String

    struct Auth: StubState {
        mutating func answer(_ call: StubCall) -> Response? { nil }
    }

    init(loops: Int) async throws {
        let auth = try StubServer<Auth>()
        self.auth = auth
        service = try await LoadedService.start("payment-service", ["auth_url": auth.url, "loops": "\(loops)"])
        tokens = (1000..<1064).map { auth.tokens.token(user: $0, lives: .seconds(3600)) }
        reply = try await HTTPCall.get(
            port: service.publicPort, Self.target, headers: Self.headers(token: tokens[0])
        ).text
    }

    /// The headers that a client app sends.
    static func headers(token: String) -> [(String, String)] {
        [
            ("SesacKey", "sooda"), ("Authorization", token), ("Accept", "application/json"),
            ("User-Agent", "Maru/1.0 (iPhone; iOS 17.4; Scale/3.00)"),
        ]
    }

    func stop() async {
        await service.stop()
        await auth.stop()
    }
}
