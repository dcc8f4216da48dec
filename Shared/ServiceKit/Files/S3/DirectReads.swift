internal import Wire

/// Signs URLs with which clients read files from a bucket themselves.
struct DirectReads: Sendable {
    /// The bucket under the URL that clients use.
    let bucket: S3Bucket
    /// How long a URL is valid.
    let lifetime: Duration

    /// The longest time that signatures of version 4 allow.
    static let longest = Duration.seconds(7 * 86_400)

    /// - Parameters:
    ///   - type, disposition: the media type and `Content-Disposition` that the bucket sends with the file.
    func url(of name: String, type: String, disposition: String, at now: Timestamp = .now) -> DirectURL {
        let reply = [
            (name: "response-content-type", value: type), (name: "response-content-disposition", value: disposition),
            (name: "response-cache-control", value: "private, max-age=31536000, immutable"),
        ]
        return DirectURL(url: bucket.signedURL(of: name, for: lifetime, reply: reply, at: now), lifetime: lifetime)
    }
}
