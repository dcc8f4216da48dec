public import Contract
public import HTTP

extension PublicRoutes {
    /// Adds a route of the native API, which needs an API key and an access token. It does not exist for keys of other
    /// profiles.
    public mutating func native(
        _ method: Method, _ template: String, body: BodyLimit = .fields, _ handler: @escaping SignedInHandler
    ) {
        signedIn(method, template, in: .july2024, body: body) { call, caller in
            guard call.profile.isNative else { throw Failure.unknownRoute }
            return try await handler(call, caller)
        }
    }
}
