"""A hand-written Engine.IO connection for many rooms, like that of socket.io-client-swift."""

import json
import queue
import threading

import websocket
from waiting import patiently


class Engine:
    def __init__(self, product, cookie):
        address = f"ws://127.0.0.1:{product.port}/socket.io/?EIO=4&transport=websocket"
        self.socket = websocket.create_connection(address, cookie=cookie)
        self.packets = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        assert self.next().startswith('0{"sid":')

    def read(self):
        """Answers heartbeats and returns other packets; None after the connection has ended."""
        try:
            while packet := self.socket.recv():
                if packet == "2":
                    self.socket.send("3")
                else:
                    self.packets.put(packet)
        except (OSError, websocket.WebSocketException):
            pass
        self.packets.put(None)

    def next(self):
        packet = self.packets.get(timeout=patiently(30))
        assert packet, "the engine was closed"
        return packet

    def join(self, namespace):
        self.socket.send(f"40{namespace},")
        answer = self.next()
        assert answer.startswith(f"40{namespace},"), answer

    def leave(self, namespace):
        self.socket.send(f"41{namespace},")

    def event(self, namespace):
        """Returns name and arguments of the next event, which must be in this namespace."""
        packet = self.next()
        assert packet.startswith(f"42{namespace},"), packet
        return json.loads(packet.removeprefix(f"42{namespace},"))
