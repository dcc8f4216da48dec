"""A link between two processes that can be cut and restored."""

import asyncio
import socket
import struct


class Link:
    def __init__(self, port):
        # The port on 127.0.0.1 to which connections are forwarded.
        self.target = port
        self.is_cut = False
        self.connections = set()

    async def __aenter__(self):
        self.server = await asyncio.start_server(self.connected, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self.server.close()
        self.reset_all()

    def cut(self):
        """Resets all connections and refuses new ones."""
        self.is_cut = True
        self.reset_all()

    def restore(self):
        self.is_cut = False

    def reset_all(self):
        """Both ends see a reset, and bytes in flight are lost."""
        for writer in list(self.connections):
            reset(writer)

    async def connected(self, reader, writer):
        if self.is_cut:
            return reset(writer)
        try:
            target = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            return reset(writer)
        ends = {writer, target[1]}
        self.connections |= ends
        try:
            await asyncio.gather(carry(reader, target[1]), carry(target[0], writer))
        finally:
            self.connections -= ends
            for end in ends:
                end.transport.abort()


def reset(writer):
    """Ends a connection with a reset instead of an orderly end."""
    connection = writer.get_extra_info("socket")
    if connection and connection.fileno() >= 0:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def carry(reader, writer):
    """Copies bytes until one end closes, and then closes the other."""
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
    except OSError:
        reset(writer)
