/// The credentials and the scope of AWS signature version 4, which S3 and compatible stores require.
///
/// libcurl signs method, path, query, body and all headers as given: the caller sorts the query by name,
/// and for S3 adds `X-Amz-Content-Sha256`, the body's digest in hexadecimal.
public struct AWSSignature: Sendable {
    public let accessKey: String
    /// The secret key; it is only signed with and never sent.
    public let secretKey: String
    /// A region such as `us-east-1`.
    public let region: String
    /// A service such as `s3`.
    public let service: String

    public init(accessKey: String, secretKey: String, region: String, service: String) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.region = region
        self.service = service
    }
}
