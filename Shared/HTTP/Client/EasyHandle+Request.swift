internal import CCurl
internal import Wire

extension EasyHandle {
    private static let protocols = "http,https"
    /// From this size on curl would ask with `Expect: 100-continue` first and wait a second where nobody answers that.
    private static let sizeWithExpectation = 1 << 20

    /// Makes the handle ready for `transfer`.
    func prepare(for transfer: Transfer, _ configuration: HTTPClient.Configuration) throws(RefusedOption) {
        let request = transfer.request
        try setCallbacks(for: transfer)
        try set(configuration)
        try setURL(request.url)
        try setMethod(of: request)
        try set(headerLines: Self.headerLines(of: request))
        if request.maximumRedirects > 0, request.isIdempotent, request.method == .get || request.method == .head {
            try set(CURLOPT_FOLLOWLOCATION, 1)
            try set(CURLOPT_MAXREDIRS, request.maximumRedirects)
        }
        // A HEAD's reply tells the size of a body that does not come.
        if request.method != .head { _ = ccurl_set_maximum_reply(raw, Int64(request.maximumReplySize)) }
        if let signature = request.signature {
            try set(CURLOPT_AWS_SIGV4, "aws:amz:\(signature.region):\(signature.service)")
            try set(CURLOPT_USERNAME, signature.accessKey)
            try set(CURLOPT_PASSWORD, signature.secretKey)
        }
    }

    private func set(_ configuration: HTTPClient.Configuration) throws(RefusedOption) {
        try set(CURLOPT_NOSIGNAL, 1)
        // Else a cancelled look-up of a name would hold up the loop until the resolver gives up.
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
        try set(CURLOPT_MAXAGE_CONN, Int(clamping: configuration.idleConnectionAge.components.seconds))
        try set(CURLOPT_TCP_KEEPALIVE, 1)
    }

    /// Over TLS requests wait for a connection that they can share. Without TLS there is none to come, and curl would
    /// make them wait for the whole first reply.
    private func setURL(_ url: String) throws(RefusedOption) {
        // curl would guess a protocol where there is none.
        guard let end = url.firstRange(of: "://")?.lowerBound else { throw RefusedOption(detail: "no absolute URL") }
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

    /// The fields as curl wants them: a name and a semicolon for an empty one, a name and a colon to keep its own back.
    private static func headerLines(of request: HTTPClient.Request) -> [String] {
        var lines = request.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        if !request.body.isEmpty {
            if !request.headers.contains(.contentType) { lines.append("Content-Type:") }
            if request.body.count >= sizeWithExpectation { lines.append("Expect:") }
        }
        return lines
    }
}
