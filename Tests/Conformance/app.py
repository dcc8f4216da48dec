"""A client app: it calls the API like the app of one API key and checks every reply against the contract."""

import base64
import itertools
import json
import time
from urllib.parse import quote

import contract
import requests
from reference import reference
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry
from waiting import patiently

PASSWORD = "Saessak-2024!"
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAAAAACPAi4CAAAAKklEQVR42u3MQREAAAwCIPunMaIh9ttBANKjCAQCgUAgEAgEAoFA"
    "IPgeDE0rAKYtm3lkAAAAAElFTkSuQmCC"
)
IMAGE = ("image", ("chat", PICTURE, "image/jpeg"))
counter = itertools.count(1)

# Like the HTTP libraries of apps: if a kept-alive connection ends without a reply, retry once on a new one.
ONCE_MORE = Retry(
    total=1, connect=0, read=1, allowed_methods=None, raise_on_status=False, respect_retry_after_header=False
)


# Seconds after which an app renews its access token. The shortest life of one is fifteen minutes, and all tests take longer on a slow
# machine.
RENEWAL = 300


class App:
    def __init__(self, product, key):
        self.product = product
        self.key = key
        self.generation = contract.generation(key)
        self.is_first = self.generation == "2024-01"
        self.tells_truth = key == "native"
        self.session = requests.Session()
        self.session.mount("http://", HTTPAdapter(max_retries=ONCE_MORE))
        self.session.headers["SesacKey"] = key
        self.token = None
        # The access token of the last sign-in or renewal, and its time.
        self.signed_in = ("", 0.0)

    # Signing in

    @classmethod
    def joined(cls, product, key, nickname="새싹", **more):
        app = cls(product, key)
        app.email = f"{key}.{next(counter)}@example.com"
        app.device = f"device-{app.email}"
        application = {"email": app.email, "password": PASSWORD, "nickname": nickname, "deviceToken": app.device}
        app.enter(app.post("/users/join", application | more, "User"))
        return app

    def enter(self, account):
        """Stores the tokens of a reply to a join or a login."""
        tokens = account.get("token", account)
        self.id = account["user_id"]
        self.token, self.refresh = tokens["accessToken"], tokens["refreshToken"]
        self.signed_in = (self.token, time.monotonic())

    def stay_signed_in(self):
        """Renews an old access token, as apps do. A token of a test's own stays as it is, and so does one of an ended session."""
        token, since = self.signed_in
        if self.token != token or time.monotonic() - since < RENEWAL:
            return
        self.signed_in = (token, time.monotonic())
        headers = {"Authorization": token, "RefreshToken": self.refresh}
        renewed = self.session.get(f"{self.product.base}/v1/auth/refresh", headers=headers, timeout=patiently(30)).json()
        if "accessToken" in renewed:
            self.refresh = renewed.get("refreshToken", self.refresh)
            self.token = renewed["accessToken"]
            self.signed_in = (self.token, time.monotonic())

    def another_device(self, device=""):
        """The same account with another session."""
        app = App(self.product, self.key)
        app.email = self.email
        body = {"email": self.email, "password": PASSWORD, "deviceToken": device}
        app.enter(app.post("/users/login", body, "Login" if self.is_first else "User"))
        return app

    @property
    def cookie(self):
        """The content of the operating system's cookie store, as a header."""
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.session.cookies)

    # Calls

    def send(self, method, path, headers=(), as_others=False, **more):
        self.stay_signed_in()
        sent = {"Authorization": self.token} if self.token else {}
        sent.update(headers)
        url = f"{self.product.base}/v1{path}"
        reply = self.session.request(method, url, headers=sent, timeout=patiently(30), **more)
        self.hold_rules(reply, f"{method} {path}", self.tells_truth and not as_others)
        is_held = self.key in contract.KEYS and "SesacKey" in self.session.headers and not as_others
        if is_held and self.product.has_reference:
            form = "native" if self.key == "native" else self.generation
            reference(self.product.base, form).hold(reply)
        return reply

    def hold_rules(self, reply, call, is_true):
        """Checks the status, the form of failures and the form of times, for every reply of every route."""
        if reply.status_code in (206, 304) or "json" not in reply.headers.get("Content-Type", ""):
            assert reply.status_code in (200, 206, 304), f"{call}: {reply.status_code} {reply.text[:200]}"
            return
        body = reply.json()
        if "errorCode" in body:
            code = body["errorCode"]
            if is_true:
                assert reply.status_code in contract.STATUSES[code], f"{call}: {reply.status_code} {reply.text}"
                assert reply.headers["Content-Type"] == "application/problem+json"
                assert body["status"] == reply.status_code
            else:
                assert reply.status_code == (500 if code == "E99" else 400), f"{call}: {reply.status_code} {reply.text}"
        else:
            assert reply.status_code in ((200, 201) if is_true else (200,)), f"{call}: {reply.status_code}"
            for moment in contract.dates(body):
                assert contract.DATE.fullmatch(moment), f"{call}: {moment}"

    def call(self, method, path, kind=None, **more):
        """Returns the body of a successful reply after a check against its entity."""
        reply = self.send(method, path, **more)
        assert reply.status_code < 300, f"{method} {path}: {reply.status_code} {reply.text}"
        body = reply.json()
        if kind:
            contract.hold(body, kind, self.generation, f"{self.key}: {method} {path}")
        return body

    def get(self, path, kind=None):
        # The GETs of one app end in a bare question mark.
        return self.call("GET", path + "?" if self.key == "sooda" and "?" not in path else path, kind)

    def post(self, path, body, kind=None):
        return self.call("POST", path, kind, json=body)

    def form(self, method, path, fields, files=(), kind=None):
        return self.call(method, path, kind, files=[(name, (None, text)) for name, text in fields.items()] + [*files])

    def refused(self, code, method, path, **more):
        reply = self.send(method, path, **more)
        assert reply.status_code >= 400 and reply.json()["errorCode"] == code, (
            f"{method} {path}: {reply.status_code} {reply.text}, not {code}"
        )

    # Actions of apps

    @property
    def coins(self):
        return self.get("/users/my" if self.is_first else "/users/me", "Profile")["sesacCoin"]

    def make_workspace(self, *members, name=None):
        fields = {"name": name or f"workspace {next(counter)}", "description": "설명"}
        workspace = self.form("POST", "/workspaces", fields, [IMAGE], "Workspace")["workspace_id"]
        for member in members:
            self.post(f"/workspaces/{workspace}/members", {"email": member.email}, "Member")
        return int(workspace)

    def make_channel(self, workspace, name=None, *members):
        """Creates a channel; the members join it by reading it."""
        fields = {"name": name or f"방 {next(counter)}", "description": None}
        made = self.post(f"/workspaces/{workspace}/channels", fields, "Channel")
        channel = Channel(int(workspace), int(made["channel_id"]), made["name"])
        for member in members:
            member.history(channel)
        return channel

    def default_channel(self, workspace):
        found = self.get(f"/workspaces/{workspace}/channels", "[Channel]")
        default = next(each for each in found if each["name"] == "일반")
        return Channel(int(workspace), int(default["channel_id"]), default["name"])

    def path(self, channel):
        segment = quote(channel.name, safe="") if self.is_first else channel.id
        return f"/workspaces/{channel.workspace}/channels/{segment}"

    def say(self, channel, content, files=()):
        parts = [("files", (name, data)) for name, data in files]
        return self.form("POST", self.path(channel) + "/chats", {"content": content}, parts, "Chat")

    def history(self, channel, cursor=""):
        return self.get(f"{self.path(channel)}/chats?cursor_date={quote(cursor)}", "[Chat]")

    def open_dm(self, workspace, opponent):
        """Returns the id of the room, and creates it if necessary."""
        if self.is_first:
            path = f"/workspaces/{workspace}/dms/{opponent.id}/chats?cursor_date="
            return int(self.get(path, "DmHistory")["room_id"])
        body = {"opponent_id": str(opponent.id)}
        return int(self.post(f"/workspaces/{workspace}/dms", body, "Room")["room_id"])

    def whisper(self, workspace, room, content, files=()):
        parts = [("files", (name, data)) for name, data in files]
        return self.form("POST", f"/workspaces/{workspace}/dms/{room}/chats", {"content": content}, parts, "Dm")

    def order(self, price=100, name="10 Coin", **more):
        """Creates a paid payment at the provider and returns its imp_uid and merchant_uid."""
        number = next(counter)
        order = {"imp_uid": f"imp_{number}", "merchant_uid": f"ios_{self.key}_{1_700_000_000 + number}"}
        payment = order | {"amount": price, "name": name} | more
        self.product.standins("POST", "/portone/payments", json=payment)
        return order


class Channel:
    def __init__(self, workspace, id, name):
        self.workspace, self.id, self.name = workspace, id, name


def readable(value):
    return json.dumps(value, ensure_ascii=False)[:300]
