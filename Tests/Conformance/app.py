"""A client app: calls the API as the app of one API key does, and holds every reply against the contract."""

import base64
import itertools
import re

import requests
import socketio

GENERATION = {"sooda": "2024-01", "gen-2024-01": "2024-01"}
KEYS = ["sooda", "collatalk", "collabee", "gathering", "gen-2024-01", "gen-2024-07", "native"]
DATE = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAAAAACPAi4CAAAAKklEQVR42u3MQREAAAwCIPunMaIh9ttBANKjCAQCgUAgEAgEAoFA"
    "IPgeDE0rAKYtm3lkAAAAAElFTkSuQmCC"
)
counter = itertools.count(1)


class App:
    def __init__(self, product, key):
        self.base = product.base
        self.key = key
        self.is_first = GENERATION.get(key) == "2024-01"
        self.tells_truth = key == "native"
        self.session = requests.Session()
        self.session.headers["SesacKey"] = key
        self.token = None
        self.heard = []

    @classmethod
    def joined(cls, product, key, nickname="새싹"):
        app = cls(product, key)
        app.email = f"{key}.{next(counter)}@example.com"
        account = app.post("/users/join", {
            "email": app.email, "password": "Passw0rd!", "nickname": nickname, "deviceToken": f"device-{app.email}",
        })
        app.holds(account, "user_id email nickname createdAt token")
        app.id = account["user_id"]
        app.token, app.refresh = account["token"]["accessToken"], account["token"]["refreshToken"]
        return app

    # Calls

    def send(self, method, path, **more):
        headers = {"Authorization": self.token} if self.token else {}
        headers.update(more.pop("headers", {}))
        return self.session.request(method, f"{self.base}/v1{path}", headers=headers, timeout=20, **more)

    def call(self, method, path, **more):
        """The body of a reply that succeeds."""
        reply = self.send(method, path, **more)
        expected = (200, 201) if self.tells_truth else (200,)
        assert reply.status_code in expected, f"{method} {path}: {reply.status_code} {reply.text}"
        body = reply.json()
        self.check(body)
        return body

    def get(self, path):
        # One app's GETs end in a bare question mark.
        return self.call("GET", path + "?" if self.key == "sooda" and "?" not in path else path)

    def post(self, path, json):
        return self.call("POST", path, json=json)

    def form(self, method, path, fields, files=()):
        parts = [(name, (None, value)) for name, value in fields.items()] + list(files)
        return self.call(method, path, files=parts)

    def refused(self, code, method, path, **more):
        """Fails with this code, in the form that the app can bear."""
        reply = self.send(method, path, **more)
        body = reply.json()
        assert body["errorCode"] == code, f"{method} {path}: {reply.status_code} {reply.text}"
        if self.tells_truth:
            assert reply.status_code >= 400
        else:
            assert reply.status_code == (500 if code == "E99" else 400)

    # The contract's rules for every reply

    def check(self, value, name=""):
        if isinstance(value, dict):
            for key, each in value.items():
                self.check(each, key)
        elif isinstance(value, list):
            for each in value:
                self.check(each, name)
        elif name.endswith("_id") and name not in ("buyer_id", "billing_id", "client_id", "session_id"):
            assert isinstance(value, int if self.is_first else str), (name, value)
        elif name in ("createdAt", "expiresAt"):
            assert DATE.match(value), (name, value)
        elif name in ("content",):
            assert isinstance(value, str)

    def holds(self, entity, required):
        for name in required.split():
            assert entity.get(name) is not None, f"{name} is missing in {entity}"

    # What apps do

    def make_workspace(self, name=None):
        picture = ("image", ("chat", PICTURE, "image/jpeg"))
        fields = {"name": name or f"workspace {next(counter)}", "description": "설명"}
        workspace = self.form("POST", "/workspaces", fields, [picture])
        image = "thumbnail" if self.is_first else "coverImage"
        self.holds(workspace, f"workspace_id name description {image} owner_id createdAt")
        return workspace["workspace_id"]

    def invite(self, workspace, other):
        member = self.post(f"/workspaces/{workspace}/members", {"email": other.email})
        self.holds(member, "user_id email nickname")

    def make_channel(self, workspace, name):
        channel = self.post(f"/workspaces/{workspace}/channels", {"name": name, "description": None})
        self.holds(channel, "channel_id name owner_id createdAt")
        if self.is_first:
            self.holds(channel, "workspace_id")
            assert channel["private"] in (0, 1)
        return channel

    def channel_path(self, workspace, channel):
        segment = requests.utils.quote(channel["name"], safe="") if self.is_first else channel["channel_id"]
        return f"/workspaces/{workspace}/channels/{segment}"

    def say(self, workspace, channel, content, files=()):
        path = self.channel_path(workspace, channel) + "/chats"
        chat = self.form("POST", path, {"content": content}, [("files", (name, data)) for name, data in files])
        self.holds(chat, "channel_id channelName chat_id createdAt files user")
        return chat

    def history(self, workspace, channel, cursor=""):
        return self.get(f"{self.channel_path(workspace, channel)}/chats?cursor_date={requests.utils.quote(cursor)}")

    def listen(self, channel_id):
        """Opens the channel's socket with the cookie that signing in has set, and nothing else."""
        client = socketio.Client(reconnection=False)
        namespace = f"/ws-channel-{channel_id}"
        client.on("channel", self.heard.append, namespace=namespace)
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.session.cookies)
        client.connect(self.base, headers={"Cookie": cookies}, namespaces=[namespace], wait_timeout=10)
        return client
