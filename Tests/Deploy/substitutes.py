"""Substitutes for the services behind the gateway. Each replies with its name and the received request as JSON."""

import contextlib
import hashlib
import http.server
import json
import socket
import threading
import time


class EchoHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self):
        super().setup()
        self.server.connections.add(self.connection)

    def finish(self):
        self.server.connections.discard(self.connection)
        super().finish()

    def answer(self):
        service = self.server
        service.seen.append(self.path)
        if "refuse-early" in self.path:
            return self.refuse_early()
        if "busy" in self.path:
            status, body = (429, b'{"status":429,"errorCode":"E98"}') if "429" in self.path else (400, b'{"errorCode":"E98"}')
            return self.reply(status, body, [("Retry-After", "7")])
        if "vanish" in self.path:
            self.close_connection = True
            return None
        if self.headers.get("Upgrade") == "websocket":
            return self.upgrade()
        if "linger" in self.path:
            # Longer than the gateway waits in a test, even if the machine stands still for a while.
            time.sleep(30)
        body = self.body()
        if body is None:
            service.truncated.append(self.path)
            self.close_connection = True
            return None
        echo = {
            "service": service.name,
            "connection": self.client_address[1],
            "method": self.command,
            "target": self.path,
            "headers": [[name.lower(), value] for name, value in self.headers.items()],
            "length": len(body),
            "sha256": hashlib.sha256(body).hexdigest(),
        }
        return self.reply(200, json.dumps(echo).encode(), [("X-Request-ID", "from-the-service")])

    do_GET = do_POST = do_PUT = do_DELETE = do_OPTIONS = do_PATCH = do_HEAD = answer

    def reply(self, status, body, headers=()):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def refuse_early(self):
        """Replies at once like a service, then reads and discards the rest of the body."""
        self.reply(400, b'{"errorCode":"E02"}', [("Connection", "close")])
        self.connection.shutdown(socket.SHUT_WR)
        while self.connection.recv(65536):
            pass
        self.close_connection = True

    def upgrade(self):
        self.send_response(101)
        for name, value in (("Upgrade", "websocket"), ("Connection", "Upgrade")):
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = True
        while data := self.connection.recv(65536):
            self.connection.sendall(data)

    def body(self):
        """Returns the whole body, or None if the connection ended early."""
        if self.headers.get("Transfer-Encoding") == "chunked":
            parts = []
            while True:
                line = self.rfile.readline()
                if not line.endswith(b"\r\n"):
                    return None
                size = int(line, 16)
                part = self.rfile.read(size + 2)
                if len(part) != size + 2:
                    return None
                if size == 0:
                    return b"".join(parts)
                parts.append(part[:-2])
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        return body if len(body) == length else None

    def log_message(self, *_):
        pass


class EchoService(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def __init__(self, name, port=0):
        super().__init__(("127.0.0.1", port), EchoHandler)
        self.name = name
        self.seen = []
        self.truncated = []
        self.connections = set()
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def port(self):
        return self.server_address[1]

    def handle_error(self, request, client_address):
        """Ignores connections that the gateway closed."""

    def stop(self):
        """Acts like a dead process: closes the listener and all connections."""
        self.shutdown()
        self.socket.close()
        for connection in list(self.connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
