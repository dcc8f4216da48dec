import Foundation
import TestSupport

/// A certificate authority and its certificate for `localhost`, made by the openssl program.
enum Certificates {
    /// Writes `ca.pem`, `server.pem` and `server.key` to `folder`.
    static func make(in folder: String) async throws {
        try "subjectAltName=DNS:localhost,IP:127.0.0.1\n"
            .write(toFile: folder + "/names", atomically: false, encoding: .utf8)
        try await openssl(
            folder, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=Maru test authority", "-keyout", "ca.key", "-out", "ca.pem")
        try await openssl(
            folder, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
            "-keyout", "server.key", "-out", "server.csr")
        try await openssl(
            folder, "x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
            "-days", "2", "-extfile", "names", "-out", "server.pem")
    }

    struct Failure: Error {
        let output: String
    }

    private static func openssl(_ folder: String, _ arguments: String...) async throws {
        let process = try ChildProcess(
            "/usr/bin/env", ["-C", folder, "openssl"] + arguments, log: folder + "/openssl.log")
        guard await process.wait() == 0 else { throw Failure(output: process.output) }
    }
}
