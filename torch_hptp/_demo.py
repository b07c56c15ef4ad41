"""The demo: a photo goes from HWC to CHW and back, and attention heads change places.

Every result is compared with PyTorch's bit for bit, and the picture that has gone there and back is
written as a PNG, for a person to look at.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from torch_hptp._timing import Comparison, compare, same_bits, table_lines
from torch_hptp.ops import permute

if TYPE_CHECKING:
    from PIL.Image import Image

_HEADS_SHAPE = (4, 1024, 16, 64)  # batch, sequence, heads, features of a head
_BUDGET_SECONDS = 0.5  # a photo is small: some hundred calls of each


class DemoError(Exception):
    """The demo cannot go on; the message is one sentence that says what to do about it."""


def sample_image() -> Path:
    """The photo that ships inside matplotlib, found without importing matplotlib.

    Raises:
        DemoError: It is not there.
    """
    package = importlib.util.find_spec("matplotlib")
    if package is None or package.origin is None:
        raise DemoError(
            "The demo's own photo ships with matplotlib, which is not installed: name a photo "
            "with --image PATH, or run `pip install matplotlib`."
        )
    path = Path(package.origin).parent / "mpl-data" / "sample_data" / "grace_hopper.jpg"
    if not path.is_file():
        raise DemoError(
            "This matplotlib comes without its sample photo: name a photo with --image PATH."
        )
    return path


def _eight_bits(image: Image) -> Image:
    """A picture of wide integers or floats in the 256 greys, its darkest black, its lightest white.

    Pillow itself would cut off what is above 255.
    """
    from PIL import Image as Images

    values = np.asarray(image, dtype=np.float64)
    values = np.nan_to_num(values - values.min())
    return Images.fromarray((values / max(values.max(), 1e-300) * 255).astype(np.uint8))


def _with_channels(image: Image) -> Image:
    """Any picture as RGB, or as RGBA where something of it is transparent."""
    if image.mode.startswith(("I", "F")):
        image = _eight_bits(image)
    is_transparent = "A" in image.getbands() or "transparency" in image.info
    return image.convert("RGBA" if is_transparent else "RGB")


def read_image(path: Path) -> Tensor:
    """Reads a picture of any kind that Pillow knows, upright, the first frame of several.

    Args:
        path: The file.

    Returns:
        Its pixels: a contiguous uint8 tensor of shape (height, width, 3), or (height, width, 4)
        where something of it is transparent.

    Raises:
        DemoError: Pillow is missing, or the file is none that it can read.
    """
    try:
        from PIL import Image as Images
        from PIL import ImageOps
    except ImportError:
        raise DemoError(
            "The demo reads photos with Pillow, which is not installed: run `pip install pillow`."
        ) from None
    try:
        with Images.open(path) as image:
            pixels = np.array(_with_channels(ImageOps.exif_transpose(image)))
    except FileNotFoundError:
        raise DemoError(f"There is no file {path}: name a photo with --image PATH.") from None
    except (OSError, SyntaxError, ValueError, Images.DecompressionBombError) as error:
        raise DemoError(
            f"{path} cannot be read as a picture ({error}): name another one with --image PATH."
        ) from None
    return torch.from_numpy(pixels)


def write_image(pixels: Tensor, path: Path) -> None:
    """Writes pixels of shape (height, width, 3 or 4) as a PNG.

    Raises:
        DemoError: The file cannot be written.
    """
    from PIL import Image as Images

    try:
        Images.fromarray(pixels.numpy()).save(path, format="PNG")
    except OSError as error:
        raise DemoError(
            f"{path} cannot be written ({error.strerror or error}): name another place with "
            "--output PATH."
        ) from None


def attention_heads(pixels: Tensor) -> Tensor:
    """A bfloat16 tensor of shape (batch, sequence, heads, features) filled with a photo's values.

    Args:
        pixels: Not empty; taken as often as it needs to fill the shape.
    """
    count = torch.Size(_HEADS_SHAPE).numel()
    values = (pixels.reshape(-1).to(torch.float32) / 255).to(torch.bfloat16)
    return values.repeat(-(-count // values.numel()))[:count].reshape(_HEADS_SHAPE)


def run_demo(image: Path | None, output: Path) -> bool:
    """Runs the demo and prints what it finds.

    Args:
        image: The photo, or None for the one that ships inside matplotlib.
        output: Where the picture that has gone there and back is written, as a PNG.

    Returns:
        Whether every result was equal to PyTorch's, bit for bit.

    Raises:
        DemoError: The photo cannot be read or the picture cannot be written.
    """
    path = sample_image() if image is None else image
    pixels = read_image(path)
    height, width, channels = pixels.shape
    print(f"{path}: {width} x {height} pixels of {channels} channels")
    print(
        f"{torch.get_num_threads()} thread(s), into an existing output, the best of several turns\n"
    )

    planes = permute(pixels, (2, 0, 1))
    returned = permute(planes, (1, 2, 0))
    heads = attention_heads(pixels)
    comparisons = [
        compare("photo HWC > CHW", pixels, (2, 0, 1), _BUDGET_SECONDS),
        compare("photo CHW > HWC", planes, (1, 2, 0), _BUDGET_SECONDS),
        compare("heads (B, S, H, D) > (B, H, S, D) bf16", heads, (0, 2, 1, 3), _BUDGET_SECONDS),
    ]
    print("\n".join(table_lines(comparisons)))
    write_image(returned, output)
    return _conclude(comparisons, same_bits(returned, pixels), output)


def _conclude(comparisons: list[Comparison], has_returned: bool, output: Path) -> bool:
    print(f"\nthe photo, permuted there and back, is in {output.resolve()}")
    is_right = has_returned and all(one.has_equal_bits for one in comparisons)
    if is_right:
        print("every result is equal to PyTorch's, bit for bit")
    else:
        print("RESULTS DIFFER from PyTorch's: please report this with the output of `info`")
    return is_right
