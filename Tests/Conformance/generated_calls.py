"""Where the made-up calls of schemathesis go: to one workspace, and to places and accounts of their own where a call ends something.

Each call that ends a room, a session or an account has one that no other call uses. So the order of the calls is free, and
every route is called with something that exists."""

import datetime
import json
from urllib.parse import quote

from app import App

THUMB = "👍"
# Native clients share the channel and DM routes of the second generation.
KEYS = {"2024-01": "sooda", "2024-07": "collatalk", "native": "native"}
ROOMS = ("/v1/workspaces/{id}/channels/{channel_id}", "/v1/workspaces/{id}/dms/{room_id}")


class GeneratedCalls:
    def __init__(self, product, form):
        self.product, self.key = product, KEYS[form]
        # The configuration of single routes: `METHOD path` → headers and parameters.
        self.own = {}
        # Routes with one successful call at least: all that they need is there.
        self.succeed = set()
        self.owner, self.member = self.join("주인"), self.join("손님")
        self.workspace = self.owner.make_workspace(self.member)
        self.channel = self.owner.make_channel(self.workspace, "schema", self.member)
        self.room = self.owner.open_dm(self.workspace, self.member)
        for content in ("hello", "to be deleted"):
            self.owner.say(self.channel, content)
            self.owner.whisper(self.workspace, self.room, content)
        self.ends_of_places()
        self.ends_of_sessions()
        if form != "2024-01":
            self.ends_of_members()
        if form == "native":
            self.ends_of_native_things()

    def join(self, nickname):
        return App.joined(self.product, self.key, nickname)

    def guest(self, nickname):
        """A member of the workspace and of its channel."""
        guest = self.join(nickname)
        self.owner.post(f"/workspaces/{self.workspace}/members", {"email": guest.email}, "Member")
        guest.history(self.channel)
        return guest

    def set(self, route, by=None, /, **parameters):
        """Has a route called by another user, and with other values in its path."""
        self.own[route] = (by, parameters)
        if route.startswith("DELETE "):
            self.succeed.add(route)

    def ends_of_places(self):
        """The ends and the transfers of a workspace and of a channel: by their owners, and by leavers."""
        segment = "{name}" if self.owner.is_first else "{channel_id}"
        for name in ("DELETE /v1/workspaces/{id}", *self.transfers("")):
            owner, other = self.join("끝"), self.join("다음")
            self.set(name, owner, id=owner.make_workspace(other), user_id=other.id)
        for number, name in enumerate((f"DELETE /v1/workspaces/{{id}}/channels/{segment}", *self.transfers(f"/channels/{segment}"))):
            channel = self.owner.make_channel(self.workspace, f"end-{number}", self.member)
            self.set(name, channel_id=channel.id, name=channel.name, user_id=self.member.id)
        for method, word in [("GET", "leave")] if self.owner.is_first else [("GET", "exit"), ("DELETE", "exit")]:
            self.set(f"{method} /v1/workspaces/{{id}}/channels/{segment}/{word}", self.guest("나감"))
            self.set(f"{method} /v1/workspaces/{{id}}/{word}", self.guest("떠남"))

    def transfers(self, place):
        words = "change/admin/{user_id}" if self.owner.is_first else "transfer/ownership"
        return [f"PUT /v1/workspaces/{{id}}{place}/{words}"]

    def ends_of_sessions(self):
        for name in ("GET /v1/users/logout", "DELETE /v1/users/me/sessions"):
            self.set(name, self.join("끝남"))
        self.owner.another_device("other")
        (other,) = (each["session_id"] for each in self.owner.get("/users/me/sessions") if not each["current"])
        self.set("DELETE /v1/users/me/sessions/{id}", id=other)

    def ends_of_members(self):
        for place in ("", "/channels/{channel_id}"):
            self.set(f"DELETE /v1/workspaces/{{id}}{place}/members/{{user_id}}", user_id=self.guest("제외").id)

    def ends_of_native_things(self):
        owner, home = self.owner, f"/workspaces/{self.workspace}"
        changed = self.join("바뀜")
        for path, methods in {"/v1/users/me": "GET PUT DELETE", "/v1/users/me/password": "PUT", "/v1/users/me/email": "PUT"}.items():
            for method in methods.split():
                self.own[f"{method} {path}"] = (changed, {})
        blocked, banned = self.guest("막힘"), self.guest("추방")
        owner.call("PUT", f"/users/{blocked.id}/block")
        self.set("DELETE /v1/users/{id}/block", id=blocked.id)
        owner.call("PUT", f"{home}/bans/{banned.id}")
        self.set("DELETE /v1/workspaces/{id}/bans/{user_id}", user_id=banned.id)
        invitation = owner.post(f"{home}/invitations", {"uses": 2})
        self.set("DELETE /v1/workspaces/{id}/invitations/{invitation_id}", invitation_id=invitation["invitation_id"])
        self.ends_of_programs(home)
        self.ends_of_messages(home)

    def ends_of_programs(self, home):
        bots = [self.owner.post(f"{home}/bots", {"name": name})["bot_id"] for name in ("하나", "둘")]
        self.set("DELETE /v1/workspaces/{id}/bots/{bot_id}", bot_id=bots[0])
        token = self.owner.post(f"{home}/bots/{bots[1]}/tokens", {"name": "t", "scopes": ["read"]})["token_id"]
        self.set("DELETE /v1/workspaces/{id}/bots/{bot_id}/tokens/{token_id}", bot_id=bots[1], token_id=token)
        webhook = self.owner.post(f"{home}/channels/{self.channel.id}/webhooks", {"name": "빌드"})["webhook_id"]
        self.set("DELETE /v1/workspaces/{id}/channels/{channel_id}/webhooks/{webhook_id}", webhook_id=webhook)
        wish = {"url": f"{self.product.standins_base}/receivers/generated", "events": ["message"]}
        subscription = self.owner.post(f"{home}/webhooks", wish)["subscription_id"]
        self.set("DELETE /v1/workspaces/{id}/webhooks/{subscription_id}", subscription_id=subscription)

    def ends_of_messages(self, home):
        later = (datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        for room, template in zip((f"{home}/channels/{self.channel.id}", f"{home}/dms/{self.room}"), ROOMS):
            self.set(f"DELETE {template}/chats/{{seq}}", seq=2)
            one = f"{room}/chats/1"
            for path in (f"/reactions/{quote(THUMB)}", "/pin", "/saved"):
                self.owner.call("PUT", one + path)
            self.set(f"DELETE {template}/chats/{{seq}}/reactions/{{emoji}}", emoji=THUMB)
            self.succeed |= {f"DELETE {template}/chats/{{seq}}/{end}" for end in ("pin", "saved", "thread/follow")}
        made = self.owner.post(f"{home}/channels/{self.channel.id}/scheduled", {"content": "später", "at": later})
        self.set("DELETE /v1/users/me/scheduled/{scheduled_id}", scheduled_id=made["id"])

    def configuration(self):
        """The text of schemathesis.toml."""
        places = {"id": self.workspace, "channel_id": self.channel.id, "name": "schema", "room_id": self.room}
        places |= {"opponent_id": self.member.id, "user_id": self.member.id, "seq": 1}

        def parameters(values):
            return "".join(f'"path.{name}" = {json.dumps(str(value), ensure_ascii=False)}\n' for name, value in values.items())

        text = "[parameters]\n" + parameters(places)
        for name, (user, values) in self.own.items():
            text += f"\n[[operations]]\ninclude-name = {json.dumps(name)}\n"
            if user:
                text += f'headers = {{ Authorization = {json.dumps(user.token)} }}\n'
            if values:
                text += "[operations.parameters]\n" + parameters(values)
        return text
