"""Permutes of PyTorch CPU tensors at the speed of a copy.

Importing this package registers ``torch.ops.hptp.permute``. The functions here are the same ops
with checked arguments and documentation.
"""

from torch_hptp.ops import auto_threads, contiguous, explain, permute

__version__ = "0.1.0"

__all__ = ["__version__", "auto_threads", "contiguous", "explain", "permute"]
