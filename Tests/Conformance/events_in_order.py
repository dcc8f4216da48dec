"""Clients of python-socketio that handle events in the order in which they arrive."""

import queue
import threading


def handle_in_order(client):
    """Handles messages one after the other: python-socketio would start a thread for each, and the order would be lost."""
    start = client.eio.start_background_task
    handler = client.eio.handlers["message"]
    messages = queue.SimpleQueue()

    def start_or_queue(target, *arguments, **options):
        if target == handler:
            return messages.put(arguments)
        return start(target, *arguments, **options)

    def handle():
        while True:
            handler(*messages.get())

    client.eio.start_background_task = start_or_queue
    threading.Thread(target=handle, daemon=True).start()
