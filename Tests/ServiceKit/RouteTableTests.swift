import Contract
import EventLoop
import HTTP
import Telemetry
import Testing

@testable import ServiceKit

@Suite("Public route table")
struct RouteTableTests {
    private func table(_ add: (inout PublicRoutes) -> Void) -> RouteTable {
        let loops = EventLoopGroup(count: 1)
        defer { loops.stop() }
        var routes = PublicRoutes()
        add(&routes)
        return RouteTable(routes, MetricsRegistry(for: loops))
    }

    private func template(_ path: String, _ table: RouteTable, in form: ClientProfile.Form) -> String? {
        Request(.get, path).flatMap { table.match($0, in: form)?.payload.template }
    }

    @Test("A literal segment of the other generation never matches a parameter")
    func words() {
        let table = table { routes in
            routes.signedIn(.get, "/users/{user_id}") { call, _ in call.done() }
            routes.signedIn(.get, "/users/my", in: .january2024) { call, _ in call.done() }
            routes.signedIn(.get, "/users/{user_id}/{thing}") { call, _ in call.done() }
            routes.signedIn(.get, "/users/my/{thing}", in: .january2024) { call, _ in call.done() }
        }
        #expect(template("/users/my", table, in: .january2024) == "/users/my")
        #expect(template("/users/my", table, in: .july2024) == nil)
        #expect(template("/users/7", table, in: .july2024) == "/users/{user_id}")
        #expect(template("/users/my/x", table, in: .july2024) == nil)
        #expect(template("/users/7/x", table, in: .july2024) == "/users/{user_id}/{thing}")
    }

    @Test("Only clients of the native API have its routes, beside those of 2024-07")
    func native() {
        let table = table { routes in
            routes.signedIn(.get, "/rooms", in: .july2024) { call, _ in call.done() }
            routes.native(.get, "/rooms/{room_id}/pins") { call, _ in call.done() }
        }
        #expect(template("/rooms/7/pins", table, in: .native) == "/rooms/{room_id}/pins")
        #expect(template("/rooms/7/pins", table, in: .july2024) == nil)
        #expect(template("/rooms/7/pins", table, in: .january2024) == nil)
        #expect(template("/rooms", table, in: .native) == "/rooms")
    }

    @Test("A literal segment of another method, or of a webhook, hides no parameter")
    func otherWords() {
        let table = table { routes in
            routes.signedIn(.get, "/users/{user_id}") { call, _ in call.done() }
            routes.signedIn(.post, "/users/my", in: .january2024) { call, _ in call.done() }
            routes.webhook(.get, "/users/hook") { call in call.done() }
        }
        #expect(template("/users/my", table, in: .july2024) == "/users/{user_id}")
        #expect(template("/users/hook", table, in: .july2024) == "/users/{user_id}")
    }
}
