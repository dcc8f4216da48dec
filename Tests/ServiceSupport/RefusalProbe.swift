internal import TestSupport

/// Calls the routes of a service without the required key, token or credential, on both of its ports.
public struct RefusalProbe: Sendable {
    private let publicPort: UInt16
    private let internalPort: UInt16
    private let tokens: TokenIssuer

    /// - Parameter tokens: the issuer that the service trusts.
    public init(publicPort: UInt16, internalPort: UInt16, tokens: TokenIssuer) {
        self.publicPort = publicPort
        self.internalPort = internalPort
        self.tokens = tokens
    }

    /// The expected codes of a client route that needs a token.
    public static let refusals = [
        "no key": "E01", "a wrong key": "E01", "no token": "E02", "an empty token": "E02", "a forged token": "E02",
        "an expired token": "E05",
    ]

    /// The codes of a client route for each kind of wrong call.
    public func codes(
        _ method: String, _ path: String, key: String, json: String? = nil
    ) async throws -> [String: String] {
        func code(_ key: String?, _ token: String?) async throws -> String {
            var headers = [("Content-Type", "application/json")]
            if let key { headers.append(("SesacKey", key)) }
            if let token { headers.append(("Authorization", token)) }
            return try await HTTPCall(
                method, port: publicPort, path, headers: headers, body: Array((json ?? "").utf8)
            ).reply().errorCode
        }
        let valid = tokens.token(user: 1)
        return [
            "no key": try await code(nil, valid), "a wrong key": try await code("nobody", valid),
            "no token": try await code(key, nil), "an empty token": try await code(key, ""),
            "a forged token": try await code(key, TokenIssuer().token(user: 1)),
            "an expired token": try await code(key, tokens.token(user: 1, lives: .seconds(-10))),
        ]
    }

    /// The expected answers of an internal route.
    public static let internalRefusals = [
        "on the clients' port": "E97", "nothing": "401", "a token": "401", "a token as credential": "401",
        "a wrong credential": "401", "the credential without its scheme": "401",
    ]

    /// The answers of an internal route for each kind of wrong call.
    public func internalAnswers(_ method: String, _ path: String) async throws -> [String: String] {
        let (credential, token) = ("Bearer " + ServiceUnderTest.credential, tokens.token(user: 1))
        func status(_ authorization: String) async throws -> String {
            "\(try await reply(internalPort, method, path, [("Authorization", authorization)]).status)"
        }
        let outside = try await reply(
            publicPort, method, path, [("SesacKey", "sooda"), ("Authorization", credential)])
        return [
            "on the clients' port": outside.errorCode, "nothing": try await status(""),
            "a token": try await status(token), "a token as credential": try await status("Bearer " + token),
            "a wrong credential": try await status(credential + "x"),
            "the credential without its scheme": try await status(ServiceUnderTest.credential),
        ]
    }

    /// Whether an internal route accepts the service credential.
    public func admitsCredential(_ method: String, _ path: String) async throws -> Bool {
        try await reply(
            internalPort, method, path, [("Authorization", "Bearer " + ServiceUnderTest.credential)]
        ).status != 401
    }

    private func reply(
        _ port: UInt16, _ method: String, _ path: String, _ headers: [(String, String)]
    ) async throws -> HTTPCall.Reply {
        try await HTTPCall(method, port: port, path, headers: headers, body: Array("{}".utf8)).reply()
    }
}
