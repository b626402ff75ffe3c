"""Circuit cards (Tronix): found by a small network, their lines traced to the ports on the border."""

from vision.circuits.reader import read_circuits

__all__ = ["read_circuits"]
