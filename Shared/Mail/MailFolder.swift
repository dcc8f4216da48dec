public import EventLoop
internal import Glibc

/// Writes each mail as a file `<id>.eml` into a folder instead of sending it: for development.
public struct MailFolder: MailTransport {
    private let path: String
    private let pool: BlockingPool

    /// - Parameter path: the folder; it is created if it is missing.
    public init(at path: String, pool: BlockingPool) {
        self.path = path
        self.pool = pool
    }

    public func send(_ message: MailMessage) async throws(MailFailure) {
        let bytes = message.encoded()
        let name = "\(path)/\(message.id).eml"
        let isWritten = try? await pool.run { [path] in
            mkdir(path, 0o700)
            let descriptor = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { return false }
            defer { Glibc.close(descriptor) }
            return bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } == bytes.count
        }
        if isWritten != true { throw .unavailable(code: 0, reason: "the mail folder cannot be written") }
    }

    public func close() {}
}
