internal import CCurl

/// Initialises libcurl once for each process, before its first use.
enum CurlLibrary {
    private static let code = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    static func prepare() { precondition(code == CURLE_OK, "libcurl does not start") }
}
