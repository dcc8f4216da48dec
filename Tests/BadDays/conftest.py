import pathlib
import sys

import pytest

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]

# The product and its client apps, as the conformance tests run them.
sys.path.insert(0, str(CHECKOUT / "Tests/Conformance"))


@pytest.fixture(scope="session")
def product():
    """One product for all bad days, each of which ends before the next one."""
    from unlucky import UnluckyProduct

    with UnluckyProduct(CHECKOUT) as running:
        yield running
