"""A server that behaves or misbehaves as the path says, with a thread for each connection. Prints its port."""

import hashlib
import hmac
import json
import socket
import threading
import time

seen = {}
lock = threading.Lock()


def reply(body, status="200 OK", headers=()):
    if isinstance(body, str):
        body = body.encode()
    lines = ["HTTP/1.1 " + status, "Content-Length: %d" % len(body), *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def read_request(stream):
    line = stream.readline()
    if not line:
        return None
    method, target, _ = line.decode().split(" ", 2)
    headers = []
    while (line := stream.readline()) not in (b"\r\n", b""):
        name, value = line.decode().rstrip("\r\n").split(":", 1)
        headers.append([name, value.strip()])
    length = int(dict((n.lower(), v) for n, v in headers).get("content-length", 0))
    return method, target, headers, stream.read(length)


def is_signed(method, target, headers, body):
    """Whether the request has a valid signature, version 4, of the access key AK with the secret key SK."""
    path, _, query = target.partition("?")
    fields = {name.lower(): value for name, value in headers}
    algorithm, credential, signed, signature = fields["authorization"].replace(",", "").split(" ")
    access, date, region, service, end = credential.removeprefix("Credential=").split("/")
    signed = signed.removeprefix("SignedHeaders=")
    digest = hashlib.sha256(body).hexdigest()
    canonical = "\n".join(
        [method, path, query, *(f"{name}:{fields[name]}" for name in signed.split(";")), "", signed, digest]
    )
    scope = "/".join([date, region, service, end])
    text = "\n".join([algorithm, fields["x-amz-date"], scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = b"AWS4SK"
    for part in (date, region, service, end):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    wanted = "Signature=" + hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    return access == "AK" and signature == wanted and fields.get("x-amz-content-sha256", digest) == digest


def serve(connection):
    stream = connection.makefile("rb")
    number = 0
    while request := read_request(stream):
        number += 1
        method, target, headers, body = request
        path, _, query = target.partition("?")
        with lock:
            seen[target] = seen.get(target, 0) + 1
        send = connection.sendall
        if path == "/echo":
            text = {"method": method, "target": target, "headers": headers, "size": len(body), "connection": id(stream)}
            text["body"] = body[:1000].decode("latin-1")
            send(reply(json.dumps(text)))
        elif path == "/signed":
            send(reply("", status="200 OK" if is_signed(*request) else "403 Forbidden"))
        elif path == "/seen":
            send(reply(str(seen.get(query, 0))))
        elif path == "/head":
            send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\nETag: \"x\"\r\n\r\n")
        elif path == "/status":
            code, _, wait = query.partition("&")
            send(reply("why", status=code + " Because", headers=["Retry-After: " + wait] if wait else []))
        elif path == "/recovers":
            late = seen[target] > 2
            send(reply("well" if late else "ill", status="200 OK" if late else "503 Ill"))
        elif path == "/slow":
            time.sleep(float(query))
            send(reply("slow"))
        elif path == "/never":
            stream.readline()
        elif path == "/drip":
            send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            for _ in range(1000):
                time.sleep(0.02)
                send(b"x")
        elif path == "/partial":
            send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
            break
        elif path == "/partial-chunk":
            send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nonly this")
            break
        elif path == "/declared":
            send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\nbegins")
            stream.readline()
        elif path == "/endless":
            send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while True:
                send(b"1000\r\n" + b"x" * 4096 + b"\r\n")
        elif path == "/endless-head":
            send(b"HTTP/1.1 200 OK\r\n")
            while True:
                send(b"Name: " + b"x" * 1000 + b"\r\n")
        elif path == "/exactly":
            send(reply("x" * int(query)))
        elif path == "/garbage":
            send(bytes(range(256)) * 4)
            break
        elif path == "/bad-chunk":
            send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n")
        elif path == "/status-999":
            send(b"HTTP/1.1 999 What\r\nContent-Length: 0\r\n\r\n")
        elif path == "/nothing":
            break
        elif path == "/interim":
            send(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + reply("final", headers=["X-Final: yes"]))
        elif path == "/redirect":
            send(reply("", status="302 Found", headers=["Location: " + query]))
        elif path == "/dies-when-used-again":
            # A kept connection that takes the next request and ends without a reply.
            if number > 1:
                break
            send(reply("first"))
        elif path == "/breaks-off-when-used-again":
            # The same, in the middle of its reply.
            if number > 1:
                send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
                break
            send(reply("first"))
        elif path == "/reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            break
        else:
            send(reply("unknown", status="404 Not Found"))
    stream.close()
    connection.close()


def guarded(connection):
    try:
        serve(connection)
    except OSError:
        pass


listener = socket.create_server(("127.0.0.1", 0), backlog=512)
print("port", listener.getsockname()[1], ".", flush=True)
while True:
    connection, _ = listener.accept()
    threading.Thread(target=guarded, args=(connection,), daemon=True).start()
