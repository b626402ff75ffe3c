"""Lets every test of the engines say `from properties import ...`, with readable assertion failures."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
pytest.register_assert_rewrite("properties")
