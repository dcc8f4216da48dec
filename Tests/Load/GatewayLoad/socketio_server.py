"""python-socketio with one room: a body posted to /publish goes to every member as the event `channel`."""

import resource
import sys

import socketio
from aiohttp import web

NAMESPACE = "/ws-channel-1"

server = socketio.AsyncServer(async_mode="aiohttp", cors_allowed_origins=[])


@server.on("connect", namespace=NAMESPACE)
async def connect(sid, environ, auth=None):
    await server.enter_room(sid, "room", namespace=NAMESPACE)


async def publish(request):
    await server.emit("channel", await request.json(), room="room", namespace=NAMESPACE)
    return web.Response(status=202)


def main():
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    application = web.Application()
    application.router.add_post("/publish", publish)
    server.attach(application)
    web.run_app(application, host="127.0.0.1", port=int(sys.argv[1]), backlog=4096, print=None)


if __name__ == "__main__":
    main()
