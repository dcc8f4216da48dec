internal import CCurl
internal import Wire

extension EasyHandle {
    private static let protocols = "http,https"
    /// From this body size on, curl would send `Expect: 100-continue` and wait a second for an answer.
    private static let sizeWithExpectation = 1 << 20

    /// Prepares the handle for `transfer`.
    func prepare(for transfer: Transfer, _ configuration: HTTPClient.Configuration) throws(RefusedOption) {
        let request = transfer.request
        try setCallbacks(for: transfer)
        if let peers = configuration.peers { setPeers(peers, of: transfer) }
        try set(configuration)
        try setURL(request.url)
        try setMethod(of: request)
        try set(headerLines: Self.headerLines(of: request))
        if request.maximumRedirects > 0, request.isIdempotent, request.method == .get || request.method == .head {
            try set(CURLOPT_FOLLOWLOCATION, 1)
            try set(CURLOPT_MAXREDIRS, request.maximumRedirects)
        }
        // The reply to HEAD has the length of a body that does not follow.
        if request.method != .head { _ = ccurl_set_maximum_reply(raw, Int64(request.maximumReplySize)) }
        if let signature = request.signature {
            // The expectation cannot be suppressed, so it is sent and not waited for.
            try set(CURLOPT_EXPECT_100_TIMEOUT_MS, 1)
            try set(CURLOPT_AWS_SIGV4, "aws:amz:\(signature.region):\(signature.service)")
            try set(CURLOPT_USERNAME, signature.accessKey)
            try set(CURLOPT_PASSWORD, signature.secretKey)
        }
    }

    private func set(_ configuration: HTTPClient.Configuration) throws(RefusedOption) {
        try set(CURLOPT_NOSIGNAL, 1)
        // Otherwise a cancelled name lookup would block the loop until the resolver gives up.
        try set(CURLOPT_QUICK_EXIT, 1)
        try set(CURLOPT_PROTOCOLS_STR, Self.protocols)
        try set(CURLOPT_REDIR_PROTOCOLS_STR, Self.protocols)
        try set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        try set(CURLOPT_PATH_AS_IS, 1)
        try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let authorities = configuration.authorities {
            try set(CURLOPT_CAINFO, authorities)
            try set(CURLOPT_CAPATH, nil)
        }
        // An empty text keeps curl from reading the environment.
        try set(CURLOPT_PROXY, configuration.proxy ?? "")
        try set(CURLOPT_USERAGENT, configuration.userAgent)
        try set(CURLOPT_CONNECTTIMEOUT_MS, Int(clamping: configuration.connectTimeout.wholeMilliseconds))
        try set(CURLOPT_DNS_CACHE_TIMEOUT, Int(clamping: configuration.addressAge.components.seconds))
        try set(CURLOPT_MAXAGE_CONN, Int(clamping: configuration.idleConnectionAge.components.seconds))
        try set(CURLOPT_TCP_KEEPALIVE, 1)
    }

    /// Over TLS, a request waits for a connection that it can share. Without TLS there is no shared connection, and
    /// curl would make the request wait for the whole first reply.
    private func setURL(_ url: String) throws(RefusedOption) {
        // curl would guess a missing protocol.
        guard let end = url.firstRange(of: "://")?.lowerBound else {
            throw RefusedOption(detail: "the URL is not absolute")
        }
        let isSecure = url[..<end].lowercased() == "https"
        try set(CURLOPT_URL, url)
        try set(CURLOPT_HTTP_VERSION, Int(isSecure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1))
        try set(CURLOPT_PIPEWAIT, isSecure ? 1 : 0)
    }

    private func setMethod(of request: HTTPClient.Request) throws(RefusedOption) {
        switch request.method {
        case .other: throw RefusedOption(detail: "no method")
        case .get where request.body.isEmpty: try set(CURLOPT_HTTPGET, 1)
        case .head where request.body.isEmpty: try set(CURLOPT_NOBODY, 1)
        case .delete where request.body.isEmpty, .options where request.body.isEmpty:
            try set(CURLOPT_HTTPGET, 1)
            try set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        case .head: throw RefusedOption(detail: "HEAD with a body")
        default:
            try set(CURLOPT_POST, 1)
            try set(body: request.body)
            if request.method != .post { try set(CURLOPT_CUSTOMREQUEST, request.method.rawValue) }
        }
    }

    /// Writes fields in curl's form: a name and a semicolon for an empty field, a name and a colon to suppress curl's
    /// own.
    private static func headerLines(of request: HTTPClient.Request) -> [String] {
        var lines = request.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        if !request.body.isEmpty {
            if !request.headers.contains(.contentType) {
                // curl signs a suppressed field as if it were sent.
                lines.append(request.signature == nil ? "Content-Type:" : "Content-Type: application/octet-stream")
            }
            if request.body.count >= sizeWithExpectation, request.signature == nil { lines.append("Expect:") }
        }
        return lines
    }
}
