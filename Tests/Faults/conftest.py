import pathlib
import sys

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]

# The product and its client apps, as the conformance tests run them.
sys.path.insert(0, str(CHECKOUT / "Tests/Conformance"))
