"""What the tests share: torch is set as it was before each of them."""

from collections.abc import Iterator

import pytest
import torch


@pytest.fixture(autouse=True)
def _settings_as_before() -> Iterator[None]:
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)
