import Foundation
import Testing

/// Runs Python with the archive's path as `sys.argv[1]` and returns its output.
func readZip(_ script: String, _ path: String) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
        "python3", "-c", "import sys, zipfile, hashlib\nz = zipfile.ZipFile(sys.argv[1])\n" + script, path,
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
}
