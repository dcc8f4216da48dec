"""The access log of the gateway has no names of channels and files, which users choose."""

import pytest
from gateway import Gateway, eventually

WORKSPACE = "/v1/workspaces/5/channels"
PATHS = {
    f"{WORKSPACE}/secret": f"{WORKSPACE}/{{name}}",
    f"{WORKSPACE}/secret?secret=1": f"{WORKSPACE}/{{name}}",
    f"{WORKSPACE}/secret/chats?cursor_date=secret": f"{WORKSPACE}/{{name}}/chats",
    f"{WORKSPACE}/secret%2Fchannels%2F7/members": f"{WORKSPACE}/{{name}}/members",
    f"{WORKSPACE}/7secret/chats": f"{WORKSPACE}/{{name}}/chats",
    f"{WORKSPACE}/channels/chats": f"{WORKSPACE}/{{name}}/chats",
    f"{WORKSPACE}/mysecret": f"{WORKSPACE}/{{name}}",
    f"{WORKSPACE}/my": f"{WORKSPACE}/my",
    f"{WORKSPACE}/72/chats": f"{WORKSPACE}/72/chats",
    f"{WORKSPACE}/72": f"{WORKSPACE}/72",
    f"{WORKSPACE}?secret": WORKSPACE,
    "/v1/workspaces/5/search?q=secret&from=secret": "/v1/workspaces/5/search",
    "/v1/workspaces/5/find?q=secret": "/v1/workspaces/5/find",
    "/v1/static/channelChats/secret_1.pdf": "/v1/static/channelChats/{file}",
    "/v1/static/dmChats/secret.jpg?secret": "/v1/static/dmChats/{file}",
    "/v1/static/channels/secret.png": "/v1/static/channels/{file}",
    "/v1/static/exports/secret.zip?signature=secret": "/v1/static/exports/{file}",
    "/v1/static/profiles/a/secret.png": "/v1/static/profiles/{file}",
    "/v1/webhooks/incoming/secret?secret=1": "/v1/webhooks/incoming/{address}",
    "/v1/webhooks/incoming/secret/secret": "/v1/webhooks/incoming/{address}",
    "/v1/webhooks/answers/secret": "/v1/webhooks/answers/{address}",
}


@pytest.mark.parametrize("target, path", PATHS.items())
def test_a_name_is_not_in_the_access_log(gateway, target, path):
    request_id = gateway.request(target).header("x-request-id")
    line = eventually(lambda: gateway.logged(request_id))
    assert line["path"] == path
    assert "secret" not in str(line)


def test_the_address_of_a_webhook_is_in_no_log_of_a_gateway_without_its_service(tmp_path):
    with Gateway(tmp_path) as gateway:
        gateway.services["chat-service"].stop()
        reply = gateway.request("/v1/webhooks/incoming/secret", method="POST", body=b"{}", key=None)
        assert (reply.status, reply.json()["errorCode"]) == (502, "E99")
        assert reply.header("content-type") == "application/problem+json"
        large = gateway.request(
            "/v1/webhooks/incoming/secret", method="POST", body=bytes(2 << 20), key=None, headers={"Expect": ""}
        )
        assert (large.status, large.json()["errorCode"]) == (413, "E11")
        # The failures of another path are in the log of errors.
        assert "connect() failed" not in (tmp_path / "errors.log").read_text()
        gateway.request("/v1/reports", method="POST", body=b"{}", key=None)
        eventually(lambda: "connect() failed" in (tmp_path / "errors.log").read_text() or None)
        assert "secret" not in (tmp_path / "errors.log").read_text()
