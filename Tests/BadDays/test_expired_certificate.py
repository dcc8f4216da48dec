"""The gateway's certificate has expired: clients refuse it, and a renewed one is used without a restart."""

import shutil
import signal
import ssl
import sys

from clock import WrongClock
from conftest import CHECKOUT
from waiting import eventually

sys.path.append(str(CHECKOUT / "Tests/Deploy"))
from gateway import Gateway, make_certificate
from test_gateway_tls import request


def refusal(gateway, certificate):
    """The reason why a client refuses the certificate, or None."""
    try:
        request(gateway, certificate)
    except ssl.SSLCertVerificationError as error:
        return error.verify_message
    return None


def test_an_expired_certificate_is_refused_until_it_is_renewed(tmp_path, monkeypatch):
    folders = [tmp_path / name for name in ("expired", "renewed", "gateway")]
    for folder in folders:
        folder.mkdir()
    clock = WrongClock(tmp_path / "clock")
    clock.set(-10 * 86400)
    with monkeypatch.context() as past:
        for name, value in clock.environment.items():
            past.setenv(name, value)
        expired = make_certificate(folders[0])
    with Gateway(folders[2], CERTIFICATE=expired[0], CERTIFICATE_KEY=expired[1]) as gateway:
        assert refusal(gateway, expired) == "certificate has expired"
        # Without TLS everything works, so no metric of a service shows it.
        assert gateway.echo("/v1/users/me")["service"] == "auth-service"
        renewed = make_certificate(folders[1])
        for new, old in zip(renewed, expired):
            shutil.copy(new, old)
        gateway.process.send_signal(signal.SIGHUP)
        eventually(lambda: refusal(gateway, renewed) is None, 60)
