"""An ambiguous request, which could be read as two, is refused and its connection closed."""

import json

import pytest
from gateway import is_closed, read_reply

TARGET = b"POST /v1/users/me HTTP/1.1\r\nHost: a\r\nSesacKey: sooda\r\n"
SMUGGLED = b"GET /v1/users/smuggled HTTP/1.1\r\nHost: a\r\n\r\n"

REFUSED = {
    "length and chunked": TARGET + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "chunked and length": TARGET + b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "two lengths": TARGET + b"Content-Length: 0\r\nContent-Length: 44\r\n\r\n" + SMUGGLED,
    "two equal lengths": TARGET + b"Content-Length: 0\r\nContent-Length: 0\r\n\r\n" + SMUGGLED,
    "a list of lengths": TARGET + b"Content-Length: 0, 0\r\n\r\n" + SMUGGLED,
    "a length with a sign": TARGET + b"Content-Length: +0\r\n\r\n" + SMUGGLED,
    "a negative length": TARGET + b"Content-Length: -1\r\n\r\n" + SMUGGLED,
    "a length in hexadecimal": TARGET + b"Content-Length: 0x0\r\n\r\n" + SMUGGLED,
    "an empty length": TARGET + b"Content-Length: \r\n\r\n" + SMUGGLED,
    "a length that overflows": TARGET + b"Content-Length: 99999999999999999999999\r\n\r\n" + SMUGGLED,
    "two codings": TARGET + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "identity": TARGET + b"Transfer-Encoding: identity\r\n\r\n" + SMUGGLED,
    "a list of codings": TARGET + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "an unknown coding": TARGET + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "a coding with a tab": TARGET + b"Transfer-Encoding:\tchunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "a coding with a vertical tab": TARGET + b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "a space before the colon": TARGET + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "a folded header": TARGET + b"X-A: b\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "a folded first header": b"GET /v1/users/me HTTP/1.1\r\n Host: a\r\n\r\n" + SMUGGLED,
    "a coding in HTTP/1.0": TARGET.replace(b"1.1", b"1.0") + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "NUL in a value": TARGET + b"X-A: b\x00c\r\n\r\n" + SMUGGLED,
    "NUL in a name": TARGET + b"X\x00A: b\r\n\r\n" + SMUGGLED,
    "a carriage return in a value": TARGET + b"X-A: b\rContent-Length: 5\r\n\r\n" + SMUGGLED,
    "no name": TARGET + b": b\r\n\r\n" + SMUGGLED,
    "no host": b"GET /v1/users/me HTTP/1.1\r\n\r\n" + SMUGGLED,
    "two hosts": TARGET + b"Host: b\r\n\r\n" + SMUGGLED,
    "no version": b"GET /v1/users/me HTTP\r\nHost: a\r\n\r\n" + SMUGGLED,
    "another version": b"GET /v1/users/me HTTP/2.0\r\nHost: a\r\n\r\n" + SMUGGLED,
    "a space in the target": b"GET /v1/users/me /v1 HTTP/1.1\r\nHost: a\r\n\r\n" + SMUGGLED,
    "a method of small letters": b"get /v1/users/me HTTP/1.1\r\nHost: a\r\n\r\n" + SMUGGLED,
    "CONNECT": b"CONNECT /v1/users/me HTTP/1.1\r\nHost: a\r\n\r\n" + SMUGGLED,
    "a request for TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
}

BAD_CHUNKS = {
    "no number": b"x\r\n\r\n",
    "a negative number": b"-1\r\n\r\n",
    "a number that overflows": b"fffffffffffffffff\r\n",
    "a chunk longer than its number": b"1\r\nab\r\n0\r\n\r\n",
    "a chunk without its end": b"1\r\na0\r\n\r\n",
    "a number with a prefix": b"0x1\r\na\r\n0\r\n\r\n",
}


def exchange(gateway, request):
    """Returns the only reply and checks that the connection closed after it."""
    before = len(gateway.services["auth-service"].seen)
    with gateway.connect() as connection:
        connection.sendall(request)
        reply = read_reply(connection)
        assert is_closed(connection), "the connection stayed open"
    return reply, gateway.services["auth-service"].seen[before:]


@pytest.mark.parametrize("name", REFUSED)
def test_an_ambiguous_request_is_refused_and_its_connection_closed(gateway, name):
    reply, seen = exchange(gateway, REFUSED[name])
    assert (reply.status, reply.json()) in [(400, {"errorCode": "E11"}), (400, {"errorCode": "E97"})]
    assert seen == []


@pytest.mark.parametrize("name", BAD_CHUNKS)
def test_a_bad_chunk_is_refused_and_its_connection_closed(gateway, name):
    request = TARGET + b"Transfer-Encoding: chunked\r\n\r\n" + BAD_CHUNKS[name] + SMUGGLED
    reply, seen = exchange(gateway, request)
    assert (reply.status, reply.json()) == (400, {"errorCode": "E11"})
    assert b"/v1/users/smuggled" not in [target.encode() for target in seen]


def test_a_body_that_looks_like_a_request_stays_a_body(gateway):
    body = SMUGGLED * 3
    echo = gateway.echo("/v1/users/me", method="POST", body=body)
    assert echo["length"] == len(body)
    assert gateway.services["auth-service"].seen[-1] == "/v1/users/me"


def test_two_requests_in_one_packet_get_two_replies_in_order(gateway):
    first = TARGET.replace(b"/me", b"/1") + b"Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nX-A: b\r\n\r\n"
    second = TARGET.replace(b"/me", b"/2") + b"Content-Length: 2\r\n\r\nxy"
    with gateway.connect() as connection:
        connection.sendall(first + second)
        replies = [read_reply(connection)]
        rest = replies[0].body[int(replies[0].header("content-length")) :]
        echo = json.loads(replies[0].body[: len(replies[0].body) - len(rest)])
        assert (echo["target"], echo["length"]) == ("/v1/users/1", 3)
        reply = read_reply(Pushed(rest, connection))
        assert (reply.json()["target"], reply.json()["length"]) == ("/v1/users/2", 2)


class Pushed:
    """A connection that returns these bytes before its own."""

    def __init__(self, data, connection):
        self.data = data
        self.connection = connection

    def recv(self, count):
        data, self.data = self.data, b""
        return data or self.connection.recv(count)
