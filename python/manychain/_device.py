"""Draws in the memory of a CUDA device, as CuPy, PyTorch and JAX take them."""

import ctypes
from typing import Any, Callable, Dict, NoReturn, Optional, Tuple

import numpy as np

from ._library import CDeviceArray, library

_ON_CUDA = 2  # kDLCUDA of DLPack
_DELETER_OFFSET = 7 * 8  # of DLManagedTensor: a tensor of 48 bytes and a pointer stand before it
_NAME = b"dltensor"

_python = ctypes.PyDLL(None)  # its own: others set types of ctypes.pythonapi
_capsule_new = _python.PyCapsule_New
_capsule_new.argtypes, _capsule_new.restype = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p], ctypes.py_object
_is_valid = _python.PyCapsule_IsValid
_is_valid.argtypes, _is_valid.restype = [ctypes.c_void_p, ctypes.c_char_p], ctypes.c_int
_pointer_of = _python.PyCapsule_GetPointer
_pointer_of.argtypes, _pointer_of.restype = [ctypes.c_void_p, ctypes.c_char_p], ctypes.c_void_p


def _give_back(tensor: int) -> None:
    deleter = ctypes.c_void_p.from_address(tensor + _DELETER_OFFSET).value
    if deleter:
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(deleter)(tensor)


def _destroyed(capsule: int, give_back: Callable[[int], None] = _give_back, is_valid: Any = _is_valid,
               pointer_of: Any = _pointer_of, name: bytes = _NAME) -> None:
    """Gives back the tensor of a capsule that nobody has taken: whoever takes it changes the name."""
    if is_valid(capsule, name):
        give_back(pointer_of(capsule, name))


_DESTROYED = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(_destroyed)
# Capsules may end with the interpreter, behind this module.
_python.Py_IncRef(ctypes.py_object(_DESTROYED))
_DESTROYED_ADDRESS = ctypes.cast(_DESTROYED, ctypes.c_void_p).value


class DeviceArray:
    """Draws (chain, draw, ...) of one quantity in the memory of a CUDA device, in the precision of the run, nothing between
    the elements. It is taken without a copy by ``cupy.asarray(a)``, ``cupy.from_dlpack(a)``, ``torch.from_dlpack(a)``,
    ``jax.dlpack.from_dlpack(a)`` and whatever else speaks ``__cuda_array_interface__`` or DLPack.

    The memory lives as long as one of these arrays does. It may be written to: :meth:`numpy`, the summary and the files of the
    run have the draws of the host. All that is written there has been written: no stream need be waited for.
    """

    def __init__(self, handle: Any, index: int, shape: Tuple[int, ...], on_host: Callable[[], np.ndarray]) -> None:
        array = CDeviceArray()
        library.get_device_array(handle.pointer, index, array)
        self._handle, self._index, self._on_host = handle, index, on_host
        self._data: int = array.data or 0
        self.device: int = array.device  #: number of the CUDA device
        self.shape: Tuple[int, ...] = (array.chains, array.draws, *shape)
        self.dtype = np.dtype(f"f{array.bytes}")

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def __cuda_array_interface__(self) -> Dict[str, Any]:
        return {"version": 3, "shape": self.shape, "typestr": self.dtype.str, "data": (self._data, False), "strides": None,
                "stream": None}

    def __dlpack_device__(self) -> Tuple[int, int]:
        return _ON_CUDA, self.device

    def __dlpack__(self, *, stream: Any = None, max_version: Optional[Tuple[int, int]] = None,
                   dl_device: Optional[Tuple[int, int]] = None, copy: Optional[bool] = None) -> Any:
        """A capsule of DLPack. ``stream``: of the one who takes it, which need not wait."""
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"the draws lie on CUDA device {self.device}: numpy() has them on the host")
        if copy:
            raise BufferError("the draws are given without a copy: take them, and copy then")
        tensor = ctypes.c_void_p()
        library.device_dlpack(self._handle.pointer, self._index, tensor)
        return _capsule_new(tensor, _NAME, _DESTROYED_ADDRESS)

    def numpy(self) -> np.ndarray:
        """The draws in the memory of the host, which a run has in any case: not copied, and read-only."""
        return self._on_host()

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray:
        array = self._on_host()
        if copy is False and dtype is not None and np.dtype(dtype) != array.dtype:
            raise ValueError(f"draws of {array.dtype} become {np.dtype(dtype)} by a copy alone")
        return np.array(array, dtype=dtype) if copy else array if dtype is None else array.astype(dtype, copy=False)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"DeviceArray(shape={self.shape}, dtype={self.dtype}, device={self.device})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a DeviceArray lies in the memory of its process and cannot be pickled: pickle numpy()")
