"""A wire between two processes that can be cut: connections pass through it until it is, and again once it is mended."""

import asyncio
import socket
import struct


class Link:
    def __init__(self, port):
        # Of 127.0.0.1, where it leads.
        self.target = port
        self.is_cut = False
        self.connections = set()

    async def __aenter__(self):
        self.server = await asyncio.start_server(self.connected, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self.server.close()
        self.break_off()

    def cut(self):
        """Breaks off what is connected and refuses what comes."""
        self.is_cut = True
        self.break_off()

    def mend(self):
        self.is_cut = False

    def break_off(self):
        """Both ends see a reset, and what is on its way is lost."""
        for writer in list(self.connections):
            reset(writer)

    async def connected(self, reader, writer):
        if self.is_cut:
            return reset(writer)
        try:
            further = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            return reset(writer)
        ends = {writer, further[1]}
        self.connections |= ends
        try:
            await asyncio.gather(carry(reader, further[1]), carry(further[0], writer))
        finally:
            self.connections -= ends
            for end in ends:
                end.transport.abort()


def reset(writer):
    """Ends a connection so that the other side sees a reset and not an orderly end."""
    connection = writer.get_extra_info("socket")
    if connection and connection.fileno() >= 0:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def carry(reader, writer):
    """Until one end says that it has ended, which is told to the other."""
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
    except OSError:
        reset(writer)
