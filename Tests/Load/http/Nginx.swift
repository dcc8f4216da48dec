import Glibc
import LoadClient
import TestSupport

/// A private nginx that answers every request with the same bytes by `return 200`.
struct Nginx {
    let process: ChildProcess
    let port: UInt16

    var meter: ProcessMeter { ProcessMeter(pid: process.pid) }

    /// Starts it with as many workers as the server has loops.
    static func start(workers: Int, replying reply: String, in folder: TemporaryFolder) async throws -> Nginx {
        let port = FreePort.pick()
        let configuration = """
            worker_processes \(workers);
            daemon off;
            pid \(folder.path)/nginx.pid;
            error_log \(folder.path)/error.log;
            events { worker_connections 4096; }
            http {
                access_log off;
                client_body_temp_path \(folder.path)/body;
                proxy_temp_path \(folder.path)/proxy;
                fastcgi_temp_path \(folder.path)/fastcgi;
                uwsgi_temp_path \(folder.path)/uwsgi;
                scgi_temp_path \(folder.path)/scgi;
                keepalive_requests 1000000000;
                server {
                    listen 127.0.0.1:\(port) reuseport;
                    location / { default_type application/json; return 200 '\(reply)'; }
                }
            }
            """
        let path = folder.path + "/nginx-\(workers).conf"
        let file = fopen(path, "w")
        fputs(configuration, file)
        fclose(file)
        let process = try ChildProcess(
            "/usr/sbin/nginx", ["-p", folder.path, "-c", path], log: folder.path + "/nginx.log", atEnd: "TERM")
        try await eventually { (try? RawConnection(port: port)) != nil }
        return Nginx(process: process, port: port)
    }
}
