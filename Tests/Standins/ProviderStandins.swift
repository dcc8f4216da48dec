import EventLoop
import HTTP
import Wire

/// All stand-ins behind one server.
final class ProviderStandins: Sendable {
    let kakao = KakaoStandin()
    let apple = AppleStandin()
    let oidc = OIDCStandin()
    let fcm: FCMStandin
    let portOne = PortOneStandin()
    let mail = MailStandin()
    let receivers = ReceiverStandin()
    let collector = CollectorStandin()
    let behaviors = StandinBehaviors()
    private let routes: Router<StandinRoute>

    /// - Parameter serviceAccountFile: the file that keeps the service account of FCM; nil keeps it in memory.
    init(serviceAccountFile: String? = nil) throws {
        fcm = FCMStandin(account: try serviceAccountFile.map(ServiceAccountFile.init(at:)) ?? ServiceAccountFile())
        var routes = StandinRoutes()
        kakao.register(in: &routes)
        apple.register(in: &routes)
        oidc.register(in: &routes)
        fcm.register(in: &routes)
        portOne.register(in: &routes)
        mail.register(in: &routes)
        receivers.register(in: &routes)
        collector.register(in: &routes)
        behaviors.register(in: &routes)
        routes.control(.get, "/healthz") { _ in .standin { $0.field("status", "ok") } }
        self.routes = routes.router
    }

    func server(on loops: EventLoopGroup) -> Server {
        Server(on: loops) { [self] request in try await answer(request) }
    }

    private func answer(_ request: Request) async throws -> Response {
        guard case .found(let match) = routes.match(request.method, request.path) else { return Response(.notFound) }
        let call = StandinCall(request: request, parameters: match.parameters)
        if let provider = match.payload.provider, let replacement = try await behaviors.reply(of: provider) {
            return replacement
        }
        do {
            return try await match.payload.answer(call)
        } catch let refusal as StandinRefusal {
            return refusal.response
        }
    }
}
