import Crypto
import HTTP
import Synchronization
import Wire

/// PortOne V1 and V2 with the payments that `POST /portone/payments` creates. Every key but `wrong` is valid.
final class PortOneStandin: Sendable {
    private struct State {
        var first: [String: PortOnePayment] = [:]
        var second: [String: PortOnePayment] = [:]
        /// The token of V1 and when it expires, in seconds.
        var token = ""
        var expires: Int64 = 0
    }

    private let state = Mutex(State())

    private static let tokenLifetime: Int64 = 1800
    private static let remembered = 1_000_000

    func register(in routes: inout StandinRoutes) {
        routes.add(.portone, .post, "/portone/v1/users/getToken", token)
        routes.add(.portone, .get, "/portone/v1/payments/{id}", first)
        routes.add(.portone, .get, "/portone/v2/payments/{id}", second)
        routes.add(.portone, .post, "/portone/v1/payments/cancel", cancelFirst)
        routes.add(.portone, .post, "/portone/v2/payments/{id}/cancel", cancelSecond)
        routes.control(.post, "/portone/payments", create)
    }

    private func create(_ call: StandinCall) async throws -> Response {
        guard let payment = PortOnePayment(try await call.json()) else { throw StandinRefusal.malformed }
        state.withLock { state in
            guard state.first.count + state.second.count < Self.remembered else { return }
            switch payment.generation {
            case .first: state.first[payment.reference] = payment
            case .second: state.second[payment.reference] = payment
            }
        }
        return .standin { json in
            switch payment.generation {
            case .first: payment.writeFirst(to: &json)
            case .second: payment.writeSecond(to: &json)
            }
        }
    }

    private func token(_ call: StandinCall) async throws -> Response {
        let json = try await call.json()
        guard let key = json["imp_key"]?.string, let secret = json["imp_secret"]?.string, Self.isValid(key),
            Self.isValid(secret)
        else { return Self.failure(.unauthorized, -1, "imp_key, imp_secret 인증에 실패하였습니다.") }
        let now = Timestamp.now.seconds
        let (token, expires) = state.withLock { state in
            if state.expires <= now {
                state.token = Hexadecimal.encode(SecureRandom.bytes(20).span)
                state.expires = now + Self.tokenLifetime
            }
            return (state.token, state.expires)
        }
        return Self.success { json in
            json.field("access_token", token)
            json.field("now", now)
            json.field("expired_at", expires)
        }
    }

    private func first(_ call: StandinCall) throws -> Response {
        let (id, token) = (try call.parameter("id"), call.credential("Bearer"))
        let (isValid, payment) = state.withLock { state in
            (token == state.token && state.expires > Timestamp.now.seconds, state.first[id])
        }
        guard isValid else { return Self.failure(.unauthorized, -1, "Unauthorized") }
        guard let payment else { return Self.failure(.notFound, 1, "존재하지 않는 결제정보입니다.") }
        return Self.success { payment.writeFirst(to: &$0) }
    }

    private func second(_ call: StandinCall) throws -> Response {
        let id = try call.parameter("id")
        guard let secret = call.credential("PortOne"), Self.isValid(secret) else {
            return .standin(.unauthorized) { $0.field("type", "UNAUTHORIZED") }
        }
        guard let payment = state.withLock({ $0.second[id] }) else {
            return .standin(.notFound) { $0.field("type", "PAYMENT_NOT_FOUND") }
        }
        return .standin { payment.writeSecond(to: &$0) }
    }

    private func cancelFirst(_ call: StandinCall) async throws -> Response {
        let (id, token) = (try await call.json().string("imp_uid") ?? "", call.credential("Bearer"))
        let (isValid, isCancelled, payment) = state.withLock { state in
            let isValid = token == state.token && state.expires > Timestamp.now.seconds
            let isCancelled = isValid && state.first[id]?.cancel() == true
            return (isValid, isCancelled, state.first[id])
        }
        guard isValid else { return Self.failure(.unauthorized, -1, "Unauthorized") }
        guard isCancelled, let payment else { return Self.failure(.ok, 1, "취소할 수 없는 결제건입니다.") }
        return Self.success { payment.writeFirst(to: &$0) }
    }

    private func cancelSecond(_ call: StandinCall) throws -> Response {
        let id = try call.parameter("id")
        guard let secret = call.credential("PortOne"), Self.isValid(secret) else {
            return .standin(.unauthorized) { $0.field("type", "UNAUTHORIZED") }
        }
        guard state.withLock({ $0.second[id]?.cancel() == true }) else {
            return .standin(Status(409)) { $0.field("type", "PAYMENT_ALREADY_CANCELLED") }
        }
        return .standin { json in json.object("cancellation") { $0.field("status", "SUCCEEDED") } }
    }

    private static func isValid(_ credential: String) -> Bool { !credential.isEmpty && credential != "wrong" }

    private static func success(_ members: (inout JSONWriter) -> Void) -> Response {
        .standin { json in
            json.field("code", 0)
            json.field("message") { $0.null() }
            json.object("response", members)
        }
    }

    private static func failure(_ status: Status, _ code: Int, _ message: String) -> Response {
        .standin(status) { json in
            json.field("code", code)
            json.field("message", message)
            json.field("response") { $0.null() }
        }
    }
}
