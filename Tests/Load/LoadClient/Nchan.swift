public import EventLoop
import Glibc
public import TestSupport

/// Debian's nginx with nchan, which sends each posted message to all raw WebSockets of one channel.
public struct Nchan: Sendable {
    public let process: ChildProcess
    public let port: UInt16
    /// The path for posts.
    public let publish = "/publish"
    /// The path for WebSockets.
    public let subscribe = "/subscribe"
    private let folder: TemporaryFolder

    public var address: SocketAddress { SocketAddress(ip: "127.0.0.1", port: port)! }

    /// Starts it with one worker for each loop of the compared server.
    public static func start(workers: Int) async throws -> Nchan {
        let nchan = try Nchan(workers: workers)
        try await eventually { (try? RawConnection(port: nchan.port)) != nil }
        return nchan
    }

    private init(workers: Int) throws {
        port = FreePort.pick()
        folder = TemporaryFolder("maru-nchan")
        let path = folder.path
        // Started by root, nginx switches to another user, which needs access to the folder.
        chmod(path, 0o777)
        let configuration = """
            load_module /usr/lib/nginx/modules/ngx_nchan_module.so;
            daemon off;
            worker_processes \(workers);
            worker_rlimit_nofile 20000;
            pid \(path)/nginx.pid;
            error_log \(path)/error.log;
            events { worker_connections 19000; }
            http {
                access_log off;
                client_body_temp_path \(path)/body;
                proxy_temp_path \(path)/proxy;
                fastcgi_temp_path \(path)/fastcgi;
                uwsgi_temp_path \(path)/uwsgi;
                scgi_temp_path \(path)/scgi;
                keepalive_requests 1000000;
                server {
                    listen 127.0.0.1:\(port);
                    location = /publish { nchan_publisher; nchan_channel_id room; nchan_message_buffer_length 100; }
                    location = /subscribe { nchan_subscriber websocket; nchan_channel_id room; \
            nchan_subscriber_first_message newest; }
                }
            }
            """
        let file = fopen(path + "/nginx.conf", "w")
        fputs(configuration, file)
        fclose(file)
        process = try ChildProcess(
            "/usr/sbin/nginx", ["-p", path, "-c", path + "/nginx.conf"], log: path + "/nginx.log", atEnd: "TERM")
    }
}
