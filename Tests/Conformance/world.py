"""The users and rooms for the route tests of one API key, created on first use."""

from functools import cached_property
from urllib.parse import quote

from app import PICTURE, App, counter
from waiting import eventually


class World:
    def __init__(self, product, key):
        self.product, self.key = product, key
        self.is_first = App(product, key).is_first

    @property
    def anybody(self):
        """An app without a session."""
        return App(self.product, self.key)

    @cached_property
    def owner(self):
        return App.joined(self.product, self.key, "주인")

    @cached_property
    def member(self):
        return App.joined(self.product, self.key, "손님")

    @cached_property
    def stranger(self):
        return App.joined(self.product, self.key, "남")

    @cached_property
    def ended(self):
        """The owner with an ended session, which every service already refuses."""
        app = self.owner.another_device()
        app.get("/users/logout")
        for path in ("/workspaces", f"/workspaces/{self.workspace}/dms", "/store/item/list"):
            eventually(lambda: app.send("GET", path).status_code != 200)
        return app

    @cached_property
    def workspace(self):
        return self.owner.make_workspace(self.member)

    @cached_property
    def channel(self):
        """A channel of the owner with the member in it."""
        return self.owner.make_channel(self.workspace, "잡담 방", self.member)

    @cached_property
    def default_channel(self):
        return self.owner.default_channel(self.workspace)

    @cached_property
    def room(self):
        return self.owner.open_dm(self.workspace, self.member)

    @cached_property
    def painter(self):
        """A member with a profile image. Apps of the first generation cannot upload one."""
        painter = App.joined(self.product, "gen-2024-07" if self.is_first else self.key, "화가")
        self.owner.post(f"/workspaces/{self.workspace}/members", {"email": painter.email}, "Member")
        return painter

    @cached_property
    def files(self):
        """The name of one file in each folder."""
        document, picture = [("메모.txt", b"text")], ("image", ("chat", PICTURE, "image/png"))
        workspace = self.owner.get(f"/workspaces/{self.workspace}", "WorkspaceDetail")
        channels = f"/workspaces/{self.workspace}/channels"
        channel = self.painter.form("POST", channels, {"name": f"그림 {next(counter)}"}, [picture], "Channel")
        paths = {
            "profiles": self.painter.form("PUT", "/users/me/image", {}, [picture])["profileImage"],
            "workspaces": workspace["thumbnail" if self.is_first else "coverImage"],
            "channels": channel["coverImage"],
            "channelChats": self.owner.say(self.channel, "file", document)["files"][0],
            "dmChats": self.owner.whisper(self.workspace, self.room, "file", document)["files"][0],
        }
        return {folder: path.removeprefix(f"/static/{folder}/") for folder, path in paths.items()}

    def spare_workspace(self):
        """Creates another workspace of the owner with the member in it."""
        return self.owner.make_workspace(self.member)

    def spare_channel(self):
        return self.owner.make_channel(self.workspace, None, self.member)

    def segment(self, channel):
        """The channel as a path segment."""
        return quote(channel.name, safe="") if self.is_first else channel.id

    def place(self, name):
        """The value of a path parameter if the request sets none."""
        match name:
            case "workspace":
                return self.workspace
            case "channel":
                return self.segment(self.channel)
            case "room":
                return self.room
            case "user" | "opponent":
                return self.member.id
        raise AssertionError(f"there is no {name}")
