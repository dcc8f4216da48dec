import ServiceKit
import ServiceSupport
import Synchronization
import Testing

@testable import payment_service

@Suite("Reference of the API")
struct ReferenceTests {
    @Test("Every route for clients has a description in the folder Reference, and every description a route")
    func described() async throws {
        let undescribed = Mutex<[String]?>(nil)
        let service = try await ServiceUnderTest("payment-service", PaymentSettings.entries) { builder in
            try await App.assemble(builder)
            builder.publicRoutes { routes in
                undescribed.withLock { $0 = routes.differences(from: Reference.all) }
            }
        }
        await service.stop()
        #expect(undescribed.withLock(\.self) == [])
    }
}
