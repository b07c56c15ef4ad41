"""Lets tests import `benchmarks`, which is not installed; what is installed comes first."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
