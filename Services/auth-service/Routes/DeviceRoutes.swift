import Contract
import HTTP
import ServiceKit
import Wire

/// The device that receives a session's pushes.
struct DeviceRoutes: Sendable {
    let devices: DeviceStore

    func register(in routes: inout PublicRoutes) {
        routes.signedIn(.post, "/v1/users/deviceToken", set)
    }

    func set(_ call: Call, _ caller: Caller) async throws -> Response {
        let token = try DeviceToken.checked(try await call.fields().text("deviceToken")) ?? ""
        try await devices.set(token, of: caller.session, caller.user, at: .now)
        return call.done()
    }
}
