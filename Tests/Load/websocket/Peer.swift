import Foundation
import TestSupport

/// A server that is measured: a process of its own, where it listens, and how it is published to.
struct Peer {
    let name: String
    let process: ChildProcess
    let port: UInt16
    let subscribe: String
    let publish: String

    /// This program in its other part.
    static func maru(loops: Int, in folder: String) async throws -> Peer {
        let process = try ChildProcess.product("bench-websocket", ["serve", "\(loops)"], log: folder + "/maru.log")
        try await process.written("\n")
        let port = UInt16(process.output.dropLast())!
        return Peer(name: "Maru", process: process, port: port, subscribe: "/subscribe", publish: "/publish")
    }

    /// Debian's nginx with nchan, with as many workers as we have loops.
    static func nchan(workers: Int, in folder: String) throws -> Peer {
        let port = try freePort()
        let configuration = """
            load_module /usr/lib/nginx/modules/ngx_nchan_module.so;
            daemon off;
            worker_processes \(workers);
            worker_rlimit_nofile 20000;
            pid \(folder)/nginx.pid;
            error_log \(folder)/error.log;
            events { worker_connections 19000; }
            http {
                access_log off;
                client_body_temp_path \(folder)/body;
                proxy_temp_path \(folder)/proxy;
                fastcgi_temp_path \(folder)/fastcgi;
                uwsgi_temp_path \(folder)/uwsgi;
                scgi_temp_path \(folder)/scgi;
                keepalive_requests 1000000;
                server {
                    listen 127.0.0.1:\(port);
                    location = /publish { nchan_publisher; nchan_channel_id room; nchan_message_buffer_length 100; }
                    location = /subscribe { nchan_subscriber websocket; nchan_channel_id room; \
            nchan_subscriber_first_message newest; }
                }
            }
            """
        let file = folder + "/nginx.conf"
        try configuration.write(toFile: file, atomically: true, encoding: .utf8)
        let process = try ChildProcess(
            "/usr/sbin/nginx", ["-p", folder, "-c", file], log: folder + "/nginx.log", atEnd: "TERM")
        return Peer(name: "nchan", process: process, port: port, subscribe: "/subscribe", publish: "/publish")
    }

    private static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = bind(descriptor, $0, size) }
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &size) }
            return UInt16(bigEndian: pointer.pointee.sin_port)
        }
    }
}
