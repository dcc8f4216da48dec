import Foundation
import TestSupport

/// nginx with a plain port and a TLS port with HTTP/2 and a certificate of its own authority.
final class NginxServer: Sendable {
    let plainPort = FreePort.pick()
    let securePort = FreePort.pick()
    let process: ChildProcess
    private let folder = TemporaryFolder("maru-nginx")

    /// The authority's certificate.
    var authority: String { folder.path + "/ca.pem" }

    /// - Parameters:
    ///   - protocols: the words after `ssl` in the `listen` of the TLS port.
    ///   - settings: further directives of the server.
    init(protocols: String = "http2", settings: String = "") async throws {
        try await Certificates.make(in: folder.path)
        let configuration = """
            daemon off;
            user root;
            worker_processes 1;
            error_log \(folder.path)/error.log;
            pid \(folder.path)/pid;
            events { worker_connections 1024; }
            http {
                access_log off;
                client_body_temp_path \(folder.path)/body;
                proxy_temp_path \(folder.path)/proxy;
                fastcgi_temp_path \(folder.path)/fastcgi;
                uwsgi_temp_path \(folder.path)/uwsgi;
                scgi_temp_path \(folder.path)/scgi;
                client_max_body_size 100m;
                ssl_certificate \(folder.path)/server.pem;
                ssl_certificate_key \(folder.path)/server.key;
                server {
                    listen 127.0.0.1:\(plainPort);
                    listen 127.0.0.1:\(securePort) ssl \(protocols);
                    root \(folder.path);
                    \(settings)
                    location = /hello { add_header X-Connection "$connection" always; return 200 "hello"; }
                    location = /connections { return 200 "$connection $connection_requests $server_protocol"; }
                    location = /slow { limit_rate 20k; try_files /large =404; }
                    location = /upload {
                        # nginx reads a body only to pass it on.
                        proxy_pass http://127.0.0.1:\(plainPort)/uploaded;
                    }
                    location = /uploaded { client_body_in_single_buffer on; return 200 "$content_length"; }
                }
            }
            """
        try configuration.write(toFile: folder.path + "/nginx.conf", atomically: false, encoding: .utf8)
        try String(repeating: "0123456789abcdef", count: 65_536)
            .write(toFile: folder.path + "/large", atomically: false, encoding: .utf8)
        process = try ChildProcess(
            "/usr/sbin/nginx",
            ["-p", folder.path, "-c", folder.path + "/nginx.conf", "-e", folder.path + "/error.log"],
            log: folder.path + "/log", atEnd: "QUIT")
        let port = plainPort
        try await eventually { (try? await HTTPCall.get(port: port, "/hello").status) == 200 }
    }

    func plain(_ path: String) -> String { "http://127.0.0.1:\(plainPort)\(path)" }

    func secure(_ path: String) -> String { "https://localhost:\(securePort)\(path)" }
}
