internal import CCurl

/// libcurl, which wants to be prepared once a process, before its first use.
enum CurlLibrary {
    private static let code = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    static func prepare() { precondition(code == CURLE_OK, "libcurl does not start") }
}
