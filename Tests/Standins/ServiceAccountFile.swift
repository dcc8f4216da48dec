import Crypto
import Glibc
import Wire

/// The service account of FCM's clients, as Google's console exports it.
struct ServiceAccountFile: Sendable {
    static let project = "maru-standin"
    static let email = "push@maru-standin.iam.gserviceaccount.com"

    private static let keyID = "standin-fcm"
    private static let longest = 16_384

    let key: SigningKey

    private init(key: SigningKey) { self.key = key }

    /// The service account of all stand-ins of this process that keep none in a file, because to make a key takes long.
    private static let inMemory = ServiceAccountFile(key: RSAKey.generate(id: keyID))

    init() { self = Self.inMemory }

    /// Reads the service account from a file, so that it survives restarts; makes the file if there is none.
    init(at path: String) throws {
        if let text = Self.read(path), let json = try? JSONValue(parsing: text),
            let known = json["private_key"]?.string.flatMap({ try? SigningKey(pem: $0, id: Self.keyID) })
        {
            self.init(key: known)
        } else {
            self.init(key: RSAKey.generate(id: Self.keyID))
            try write(to: path)
        }
    }

    /// The text of the key file.
    var text: [UInt8] {
        JSONWriter.bytes { json in
            json.object { json in
                json.field("type", "service_account")
                json.field("project_id", Self.project)
                json.field("private_key_id", key.id)
                json.field("private_key", key.pem)
                json.field("client_email", Self.email)
                json.field("token_uri", "https://oauth2.googleapis.com/token")
            }
        }
    }

    private static func read(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return [UInt8](unsafeUninitializedCapacity: longest) { buffer, count in
            count = max(0, Glibc.read(descriptor, buffer.baseAddress, longest))
        }
    }

    /// Writes the key file, readable by its owner alone.
    private func write(to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        let text = text
        guard descriptor >= 0 else { throw FileFault(path: path, number: errno) }
        defer { close(descriptor) }
        guard Glibc.write(descriptor, text, text.count) == text.count else {
            throw FileFault(path: path, number: errno)
        }
    }

    /// The file cannot be written.
    struct FileFault: Error {
        let path: String
        let number: Int32
    }
}
