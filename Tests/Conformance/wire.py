"""A network path to the product that can be slow, or swallow everything like a black hole."""

import socket
import threading
import time


class Wire:
    """Relays connections to the product. It has the attributes of a `Product` that apps and sockets connect by."""

    # The replies are held to the reference where they do not pass a wire.
    has_reference = False

    def __init__(self, product, delay=0):
        self.product, self.delay = product, delay
        self.is_open = threading.Event()
        self.is_open.set()
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.base = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.close()
        self.is_open.set()

    def swallow(self):
        """From now on nothing passes in either direction, and no connection ends: both sides are half-open."""
        self.is_open.clear()

    def accept(self):
        while True:
            try:
                client, _ = self.server.accept()
            except OSError:
                return
            service = socket.create_connection(("127.0.0.1", self.product.port))
            for source, target in ((client, service), (service, client)):
                threading.Thread(target=self.carry, args=(source, target), daemon=True).start()

    def carry(self, source, target):
        try:
            while data := source.recv(65536):
                # The delay lengthens each trip; bytes sent together travel together.
                time.sleep(self.delay)
                self.is_open.wait()
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            for each in (source, target):
                each.close()
