import Wire

extension OIDCIssuer.Registration {
    /// Issuers use TLS, except on this machine.
    var isSecure: Bool { !issuer.hasPrefix("http://127.0.0.1:") }

    init?(_ json: JSONValue) {
        guard let name = json["name"]?.string, let issuer = json["issuer"]?.string,
            let clientID = json["client_id"]?.string, let redirects = json["redirects"]?.array(\.string),
            !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }),
            !clientID.isEmpty, !redirects.isEmpty,
            issuer.hasPrefix("https://") || issuer.hasPrefix("http://127.0.0.1:")
        else { return nil }
        self.init(
            name: name, title: json["title"]?.string ?? name, issuer: issuer, clientID: clientID,
            clientSecret: json["client_secret"]?.string, redirects: Set(redirects))
    }
}

extension OIDCIssuer.Configuration {
    /// Reads a configuration; nil if an address is missing or is not protected by TLS.
    init?(_ json: JSONValue, isSecure: Bool) {
        func address(_ name: StaticString) -> String? {
            json[name]?.string.flatMap { !isSecure || $0.hasPrefix("https://") ? $0 : nil }
        }
        guard let authorization = address("authorization_endpoint"), let token = address("token_endpoint"),
            let keys = address("jwks_uri")
        else { return nil }
        self.init(
            authorizationEndpoint: authorization, tokenEndpoint: token, keysURL: keys,
            namesItself: json["authorization_response_iss_parameter_supported"]?.bool == true,
            tellsTimes: json["claims_supported"]?.array(\.string)?.contains("auth_time") ?? true)
    }
}

extension String {
    /// Without a slash at the end.
    var withoutLastSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}
