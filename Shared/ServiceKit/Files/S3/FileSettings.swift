internal import EventLoop
internal import HTTP
internal import Wire

/// The settings of where files are stored.
struct FileSettings: Sendable {
    static let folder = ConfigKey("files_folder", default: "files", "The folder of stored files.")
    static let bucket = ConfigKey(
        "s3_bucket", default: "", "The bucket of S3 that stores files; empty stores them in files_folder.")
    static let endpoint = ConfigKey(
        "s3_endpoint", default: "https://s3.amazonaws.com", "The URL of the S3 server, without a path.")
    static let region = ConfigKey("s3_region", default: "us-east-1", "The region that requests are signed for.")
    static let prefix = ConfigKey("s3_prefix", default: "", "The beginning of the keys in the bucket, such as maru/.")
    static let accessKey = ConfigKey("s3_access_key", default: "", "The access key of the bucket.")
    static let secretKey = ConfigKey("s3_secret_key", default: Secret.none, "The secret key of the bucket.")
    static let directReads = ConfigKey(
        "s3_direct_reads", default: Duration.zero,
        "How long the bucket URLs are valid that native clients are redirected to; 0s sends files through the service."
    )
    static let publicEndpoint = ConfigKey(
        "s3_public_endpoint", default: "", "The URL of the S3 server for clients, if it is not s3_endpoint.")
    static let cacheSize = ConfigKey(
        "s3_cache", default: ByteCount(1 << 30), "The bytes of stored files that are kept on the local disk as copies.")

    static let entries: [ConfigEntry] = [
        folder.entry, bucket.entry, endpoint.entry, region.entry, prefix.entry, accessKey.entry, secretKey.entry,
        directReads.entry, publicEndpoint.entry, cacheSize.entry,
    ]
}
