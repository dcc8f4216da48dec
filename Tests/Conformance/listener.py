"""Sockets of client apps, with either version of python-socketio: python listener.py BASE

Reads the sockets to open as lines of JSON: {"name", "namespace", "cookie"?, "auth"?, "bearer"?, "transports"?}. Writes
a line of JSON for each event: ["open", name], ["refused", name], ["heard", name, event, arguments] and
["closed", name].
"""

import inspect
import json
import os
import sys
import threading

import socketio
from events_in_order import handle_in_order

BASE = sys.argv[1]
writing = threading.Lock()
clients = []


def tell(*what):
    with writing:
        print(json.dumps(what), flush=True)


class EveryEvent(socketio.ClientNamespace):
    """Receives all events of a namespace."""

    def __init__(self, namespace, name):
        super().__init__(namespace)
        self.name = name

    def trigger_event(self, event, *arguments):
        if event == "connect":
            tell("open", self.name)
        elif event == "connect_error":
            tell("refused", self.name)
        elif event == "disconnect":
            tell("closed", self.name)
        else:
            tell("heard", self.name, event, arguments)


def listen(name, namespace, cookie=None, auth=None, bearer=None, transports=None):
    client = socketio.Client(reconnection=False, request_timeout=60)
    handle_in_order(client)
    client.register_namespace(EveryEvent(namespace, name))
    headers = {key: value for key, value in {"Cookie": cookie, "Authorization": bearer}.items() if value}
    options = {"auth": auth} if auth else {}
    # The newer version waits for the namespace, by default only for a second.
    if "wait_timeout" in inspect.signature(client.connect).parameters:
        options["wait_timeout"] = 90
    try:
        client.connect(BASE, headers=headers, transports=transports, namespaces=[namespace], **options)
    except socketio.exceptions.ConnectionError:
        tell("refused", name)
    return client


for line in sys.stdin:
    clients.append(listen(**json.loads(line)))
# The older version waits long for its threads.
os._exit(0)
