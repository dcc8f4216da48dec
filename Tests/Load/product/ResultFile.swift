import Glibc
import TestSupport
import Wire

/// A file with results as a JSON object.
enum ResultFile {
    static func write(to path: String, _ members: (inout JSONWriter) -> Void) throws {
        let bytes = JSONWriter.bytes { json in json.object(members) }
        guard let file = fopen(path, "w") else { throw NeverHappened(description: "cannot write \(path)") }
        defer { fclose(file) }
        fwrite(bytes, 1, bytes.count, file)
    }
}
