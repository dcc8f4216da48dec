internal import HTTP
internal import Wire

/// A bucket of S3, or of a store with the same protocol: its address and our credentials.
struct S3Bucket: Sendable {
    /// Such as `https://s3.ap-northeast-2.amazonaws.com`, without a path.
    let endpoint: String
    let name: String
    /// The beginning of each key, such as `maru/`; empty for none.
    let prefix: String
    let signature: AWSSignature

    /// - Parameter setting: the name of the setting of the endpoint.
    /// - Throws: `ConfigError` if the endpoint is not the URL of a server.
    init(
        endpoint: String, setting: String = "s3_endpoint", name: String, prefix: String, region: String,
        accessKey: String, secretKey: String
    ) throws {
        let host = endpoint.firstRange(of: "://").map { endpoint[$0.upperBound...] } ?? ""
        guard endpoint.hasPrefix("https://") || endpoint.hasPrefix("http://"), !host.isEmpty, !host.contains("/") else {
            throw ConfigError("\(setting): not a URL of a server such as https://s3.ap-northeast-2.amazonaws.com")
        }
        self.endpoint = endpoint
        self.name = name
        self.prefix = prefix
        signature = AWSSignature(accessKey: accessKey, secretKey: secretKey, region: region, service: "s3")
    }

    /// The host of the endpoint, with its port if it has one, as a client sends it.
    var host: String { String(endpoint[(endpoint.firstRange(of: "://")?.upperBound ?? endpoint.startIndex)...]) }

    /// The encoded path of an object. The bucket is its first part, unless it has no name because it is a part of the
    /// endpoint's host.
    func path(of object: String) -> String {
        let parts = (prefix + object).split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        return ((name.isEmpty ? [] : [name]) + parts).reduce(into: "") { $0 += "/" + PercentEncoding.strict.encode($1) }
    }

    /// The URL of an object.
    ///
    /// - Parameter query: parameters in the order of their names, as signatures require it.
    func url(of object: String, query: [(name: String, value: String)] = []) -> String {
        let text = Self.text(of: query)
        return endpoint + path(of: object) + (text.isEmpty ? "" : "?" + text)
    }

    /// The query in the encoding of signatures.
    static func text(of query: [(name: String, value: String)]) -> String {
        query.map { "\(PercentEncoding.strict.encode($0.name))=\(PercentEncoding.strict.encode($0.value))" }
            .joined(separator: "&")
    }
}
