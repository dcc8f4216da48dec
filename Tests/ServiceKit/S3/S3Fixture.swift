import Contract
import EventLoop
import HTTP
import Telemetry
import TestSupport
import Testing
import Wire

@testable import ServiceKit

/// An S3 file store on a loop of its own.
final class S3Fixture: Sendable {
    let folder = TemporaryFolder("maru-s3")
    let loops = EventLoopGroup(count: 1)
    let pool = BlockingPool(threads: 2, limit: 256)
    let client: S3Client
    let store: S3FileStore
    private let http: HTTPClient

    init(
        at url: String, secretKey: String = SeaweedServer.secretKey, bucket: String = "files", direct: Duration? = nil,
        lifetime: Duration = .seconds(3600)
    ) throws {
        let bucket = try S3Bucket(
            endpoint: url, name: bucket, prefix: "maru/", region: "us-east-1", accessKey: SeaweedServer.accessKey,
            secretKey: secretKey)
        http = HTTPClient(on: loops)
        let provider = ProviderHTTP(http, provider: "s3", metrics: MetricsRegistry(for: loops))
        client = S3Client(bucket) { try await provider.send($0, retrying: $1) }
        let files = try FolderFileStore(root: folder.path, folders: ["profiles"], pool: pool)
        store = S3FileStore(
            client, on: loops, folder: files,
            cache: try FileCache(folder: folder.path + "/copies", limit: 1 << 30, lifetime: lifetime, pool: pool),
            direct: direct.map { DirectReads(bucket: bucket, lifetime: $0) })
    }

    deinit {
        http.close()
        loops.stop()
        pool.stop()
    }

    func run<Value: Sendable>(_ body: @escaping @Sendable (S3FileStore) async throws -> Value) async throws -> Value {
        let store = store
        return try await loops.loops[0].run { try await body(store) }
    }

    func keep(_ content: [UInt8], as name: String) async throws {
        try await run { store in
            let upload = try await store.begin()
            for start in stride(from: 0, to: content.count, by: 1 << 20) {
                try await upload.write(Array(content[start..<min(content.count, start + 1 << 20)]).span.bytes)
            }
            try await store.keep(upload, as: name)
        }
    }

    /// The content of a file; nil if there is none.
    func content(of name: String) async throws -> [UInt8]? {
        guard let file = try await run({ try await $0.open(name) }) else { return nil }
        return try file.content()
    }

    static func content(_ size: Int) -> [UInt8] { (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 9) } }
}
