import Contract
import HTTP
import Testing

@testable import ServiceKit

@Suite("Descriptions of routes")
struct RouteDescriptionTests {
    private static let path = "/v1/users/{id}/block"

    private func differences(
        _ descriptions: [RouteDescription], _ add: (inout PublicRoutes) -> Void
    ) -> [String] {
        var routes = PublicRoutes()
        add(&routes)
        return routes.differences(from: ServiceReference([RouteGroup("Blocks", "", descriptions)]))
    }

    @Test("A route without a description is named with the line to add")
    func missing() {
        let found = differences([]) { $0.native(.put, Self.path) { call, _ in call.done() } }
        #expect(found.count == 1)
        #expect(found[0].contains(#"RouteDescription(.native, .put, "/v1/users/{id}/block", …)"#))
        let open = differences([]) { $0.open(.get, "/v1/a", in: .july2024) { $0.done() } }
        #expect(open[0].contains(#"RouteDescription(.generation(.july2024), .get, "/v1/a", …, isOpen: true)"#))
    }

    @Test("A description fits only with the same method, path, clients and need of a token")
    func exact() {
        func found(_ description: RouteDescription) -> Int {
            differences([description]) { $0.native(.put, Self.path) { call, _ in call.done() } }.count
        }
        #expect(found(RouteDescription(.native, .put, Self.path, "Blocks")) == 0)
        for wrong in [
            RouteDescription(.native, .post, Self.path, "Blocks"),
            RouteDescription(.native, .put, "/v1/users", "Blocks"),
            RouteDescription(.everyone, .put, Self.path, "Blocks"),
            RouteDescription(.native, .put, Self.path, "Blocks", isOpen: true),
        ] {
            #expect(found(wrong) == 2, "the route has none, and the description has no route")
        }
    }

    @Test("Signed URLs of a described route and webhooks of providers need no description of their own")
    func keyless() {
        let file = "/v1/static/profiles/{name}"
        let found = differences([RouteDescription(.everyone, .get, file, "Loads a file", reply: .bytes)]) { routes in
            routes.signedIn(.get, file) { call, _ in call.done() }
            routes.linked(.get, file) { $0.done() }
            routes.webhook(.post, "/v1/webhooks/portone") { $0.done() }
        }
        #expect(found == [])
        let hook = differences([]) { $0.webhook(.post, "/v1/hooks/{token}") { $0.done() } }
        #expect(hook.count == 1 && hook[0].contains("RouteDescription(.keyless, .post"))
    }
}
