import Foundation
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service

/// The archive of an export, unpacked by Python's `zipfile`, which checks every checksum.
struct ExportedArchive {
    private let folder = TemporaryFolder("maru-export")
    let names: [String]

    init(_ bytes: [UInt8]) throws {
        let path = folder.path + "/export.zip"
        try Data(bytes).write(to: URL(filePath: path))
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let script =
            "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); z.extractall(sys.argv[2]); print('\\n'.join(z.namelist()))"
        process.arguments = ["python3", "-c", script, path, folder.path + "/all"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        names = text.split(separator: "\n").map(String.init)
    }

    /// The sections of a part.
    func entries(of part: ExportPart) -> [String] {
        names.filter { $0.hasPrefix(part.rawValue + "/") }
            .map { String($0.dropFirst(part.rawValue.count + 1).dropLast(".json".count)) }
    }

    func bytes(_ name: String) -> [UInt8] {
        (try? Data(contentsOf: URL(filePath: folder.path + "/all/" + name))).map(Array.init) ?? []
    }

    func text(_ name: String) -> String { String(decoding: bytes(name), as: UTF8.self) }

    /// The records of a section.
    func records(_ name: String) -> [JSONValue] {
        (try? JSONValue(parsing: bytes(name)))?.elements.map(Array.init) ?? []
    }
}

extension AuthFixture {
    func exportCall(_ method: String, _ user: TestUser) async throws -> HTTPCall.Reply {
        try await service.call(method, "/v1/users/me/export", token: user.access)
    }

    /// The files of exports in the file store.
    var storedExports: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: service.files.path + "/exports")) ?? []
    }

    /// Orders an export and waits for it.
    func readyExport(_ user: TestUser) async throws -> JSONValue {
        let reply = try await exportCall("POST", user)
        #expect(try reply.json["state"]?.string == "pending", "\(reply.text)")
        try await eventually(within: .seconds(30), "the export") {
            try await exportCall("GET", user).json["state"]?.string == "ready"
        }
        return try await exportCall("GET", user).json
    }

    /// Orders an export, waits for it and loads it by its link.
    func export(_ user: TestUser) async throws -> ExportedArchive {
        let url = try #require(try await readyExport(user)["url"]?.string)
        let reply = try await service.call("GET", "/v1" + url, key: nil)
        #expect(reply.status == 200)
        return try ExportedArchive(reply.body)
    }
}
