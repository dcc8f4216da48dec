"""A link carries bytes until it is cut, and again after it is restored."""

import asyncio

import pytest
from link import Link
from waiting import patiently


def with_link(work):
    async def run():
        async def echo(reader, writer):
            while line := await reader.readline():
                writer.write(line)
            writer.close()

        server = await asyncio.start_server(echo, "127.0.0.1", 0)
        async with server, Link(server.sockets[0].getsockname()[1]) as link:
            await asyncio.wait_for(work(link), patiently(10))

    asyncio.run(run())


async def ask(connection, line=b"hello\n"):
    connection[1].write(line)
    return await connection[0].readline()


def test_bytes_and_the_end_of_a_connection_are_carried():
    async def work(link):
        connection = await asyncio.open_connection("127.0.0.1", link.port)
        assert await ask(connection) == b"hello\n"
        connection[1].write_eof()
        assert await connection[0].read() == b""

    with_link(work)


def test_a_cut_resets_connections_and_refuses_new_ones_until_it_is_restored():
    async def work(link):
        before = await asyncio.open_connection("127.0.0.1", link.port)
        assert await ask(before) == b"hello\n"
        link.cut()
        with pytest.raises(ConnectionResetError):
            await before[0].readline()
        during = await asyncio.open_connection("127.0.0.1", link.port)
        with pytest.raises(ConnectionResetError):
            await during[0].readline()
        link.restore()
        after = await asyncio.open_connection("127.0.0.1", link.port)
        assert await ask(after) == b"hello\n"

    with_link(work)
