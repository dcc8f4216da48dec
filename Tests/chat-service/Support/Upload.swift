import Glibc
import ServiceSupport
import TestSupport
import Wire

@testable import chat_service

/// An uploaded file.
struct Upload: Sendable {
    let name: String
    let bytes: [UInt8]

    static let png = Upload(name: "a.png", bytes: [0x89] + Array("PNG\r\n\u{1A}\n rest of a picture".utf8))
    static let pdf = Upload(name: "내 보고서_1.pdf", bytes: Array("%PDF-1.7 rest of a document".utf8))
    static let program = Upload(name: "harmless.png", bytes: [0x7F, 0x45, 0x4C, 0x46, 0, 1, 2, 3])

    static let boundary = "b0undary"

    /// The body of a form.
    static func form(_ files: [Upload], _ fields: [(String, String)]) -> [UInt8] {
        var body: [UInt8] = []
        for (name, text) in fields {
            body += Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(text)\r\n".utf8)
        }
        for file in files {
            let disposition = #"Content-Disposition: form-data; name="files"; filename="\#(file.name)""#
            body += Array("--\(boundary)\r\n\(disposition)\r\nContent-Type: image/png\r\n\r\n".utf8)
            body += file.bytes + Array("\r\n".utf8)
        }
        return body + Array("--\(boundary)--\r\n".utf8)
    }
}

extension ChatHarness {
    /// Sends files, and perhaps text, to channel 7.
    func upload(
        _ files: [Upload], content: String? = nil, clientID: String? = nil, user: Int64 = 1
    ) async throws -> HTTPCall.Reply {
        let fields = [("content", content), ("client_id", clientID)].compactMap { name, text in text.map { (name, $0) }
        }
        return try await call(
            "POST", "/v1/workspaces/3/channels/7/chats", user: user,
            headers: [("Content-Type", "multipart/form-data; boundary=\(Upload.boundary)")],
            body: Upload.form(files, fields))
    }

    /// All files in the store, including unfinished uploads.
    var storedFiles: [String] {
        ["channelChats", "dmChats", ".uploads"].flatMap { folder in
            Upload.names(in: "\(files.path)/\(folder)").map { "\(folder)/\($0)" }
        }
    }
}

extension Upload {
    /// The files in a folder.
    static func names(in folder: String) -> [String] {
        var names: [String] = []
        guard let listing = opendir(folder) else { return names }
        defer { closedir(listing) }
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }
}
