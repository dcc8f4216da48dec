/// Credentials and scope for AWS's signature version 4, which S3 and its likes ask for.
///
/// libcurl signs method, path, query, body and all headers as they stand: the caller sorts the query by name,
/// and for S3 adds `X-Amz-Content-Sha256`, the body's digest in hexadecimal.
public struct AWSSignature: Sendable {
    public let accessKey: String
    /// A secret: never sent, only signed with.
    public let secretKey: String
    /// Such as `us-east-1`.
    public let region: String
    /// Such as `s3`.
    public let service: String

    public init(accessKey: String, secretKey: String, region: String, service: String) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.region = region
        self.service = service
    }
}
