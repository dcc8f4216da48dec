"""A bot with commands: a server that its commands call, and its token."""

import base64
import hashlib
import hmac
import json
import queue
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import requests
from app import App
from waiting import patiently


class Commander:
    """Registers commands and answers their calls with the entry of `answers`: `(status, body)` or a function of the call."""

    def __init__(self, product, owner, workspace, scopes=("commands", "read")):
        self.product, self.owner, self.workspace = product, owner, workspace
        self.path = f"/workspaces/{workspace}/commands"
        self.bot = owner.post(f"/workspaces/{workspace}/bots", {"name": "빌드"})["bot_id"]
        made = owner.post(f"/workspaces/{workspace}/bots/{self.bot}/tokens", {"name": "t", "scopes": list(scopes)})
        self.app = App(product, "native")
        self.app.token = f"Bearer {made['token']}"
        self.answers, self.secrets, self.calls = {}, {}, queue.Queue()
        commander = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                call = json.loads(body)["data"]
                call["isSigned"] = commander.is_signed(call["command"], self.headers, body)
                commander.calls.put(call)
                answer = commander.answers[call["command"]]
                status, content = answer(call) if callable(answer) else answer
                content = content.encode() if isinstance(content, str) else json.dumps(content).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                try:
                    self.wfile.write(content)
                except OSError:
                    pass

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def is_signed(self, command, headers, body):
        """Checks the signature as standardwebhooks.com says."""
        key = base64.b64decode(self.secrets[command].removeprefix("whsec_"))
        head = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode()
        code = base64.b64encode(hmac.new(key, head + body, hashlib.sha256).digest()).decode()
        return headers["webhook-signature"] == f"v1,{code}"

    def register(self, name, answer=None, description="무엇을 한다", **more):
        self.answers[name] = answer
        made = self.app.post(self.path, {"name": name, "description": description, "url": self.url} | more)
        self.secrets[name] = made["secret"]
        return made

    def called(self):
        return self.calls.get(timeout=patiently(60))

    def answer(self, call, text, visible="me"):
        """Answers later, by the address of the run."""
        body = {"text": text, "visible": visible}
        return requests.post(f"{self.product.base}/v1{call['answerUrl']}", json=body, timeout=patiently(30))
