"""Arrays on a GPU. With MANYCHAIN_CUDA_ON_HOST the library's CUDA code runs on the host (tests/cuda_on_host): device memory is
memory of the host then, and consumers that read it by its address stand in for CuPy, PyTorch and JAX."""

import ctypes
import gc
import os
import pickle
import subprocess
import sys
import unittest

import numpy as np

import manychain
from common import SMALL, density, same_bits

ON_HOST = os.environ.get("MANYCHAIN_CUDA_ON_HOST")


class Tensor(ctypes.Structure):
    """DLManagedTensor of DLPack."""
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64), ("context", ctypes.c_void_p),
                ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p))]


def by_address(address, shape, dtype):
    number = {4: ctypes.c_float, 8: ctypes.c_double}[dtype.itemsize]
    return np.ctypeslib.as_array((number * int(np.prod(shape))).from_address(address)).reshape(shape)


class Consumer:
    """Takes a capsule as from_dlpack() of a library does, and gives it back at its end."""

    def __init__(self, array):
        api = ctypes.PyDLL(None)
        api.PyCapsule_GetPointer.restype = ctypes.c_void_p
        capsule = ctypes.py_object(array.__dlpack__(stream=1, max_version=(1, 0)))
        pointer = ctypes.c_void_p(api.PyCapsule_GetPointer(capsule, b"dltensor"))
        self.tensor = ctypes.cast(pointer, ctypes.POINTER(Tensor))
        api.PyCapsule_SetName(capsule, USED)
        one = self.tensor.contents
        self.shape = tuple(one.shape[k] for k in range(one.ndim))
        self.strides = tuple(one.strides[k] for k in range(one.ndim))
        self.device = (one.device_type, one.device)
        self.dtype = np.dtype(f"f{one.bits // 8}")
        self.values = by_address(one.data, self.shape, self.dtype)

    def end(self):
        self.tensor.contents.deleter(ctypes.cast(self.tensor, ctypes.c_void_p))


USED = ctypes.create_string_buffer(b"used_dltensor")
CUDA = {"backend": "cuda", "keep_on_device": True, **SMALL, "chains": 300}


class OnTheCpu(unittest.TestCase):
    def test_refused_with_a_sentence(self):
        for words, model, settings in (
                ("keep_on_device: a run on the CPU has no draws on a device", "eight_schools", {"backend": "cpu"}),
                ("keep_on_device: the run keeps no draws", "eight_schools", {"keep_draws": False}),
                ("keep_on_device: there is no GPU for it: model .* runs on the CPU alone", density(), {})):
            with self.subTest(words), self.assertRaisesRegex(manychain.BadInput, words):
                manychain.sample(model, **SMALL, **settings, keep_on_device=True)
        with self.assertRaisesRegex(manychain.BadInput, "data sets are sampled on the CPU"):
            manychain.sample_sets("eight_schools", [{"J": 1, "y": [1], "sigma": [1]}], keep_on_device=True)

    @unittest.skipIf(ON_HOST, "with CUDA code")
    def test_no_gpu(self):
        with self.assertRaisesRegex(manychain.BadInput, "keep_on_device: there is no GPU for it: "):
            manychain.sample("eight_schools", **SMALL, keep_on_device=True)


@unittest.skipUnless(ON_HOST, "without a library whose CUDA code runs on the host")
class Arrays(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = manychain.sample("eight_schools", **CUDA)
        cls.plain = manychain.sample("eight_schools", **{**CUDA, "keep_on_device": False})

    def test_numbers(self):
        self.assertIsInstance(self.plain["theta"], np.ndarray)
        for name, shape in (("mu", (300, 20)), ("theta", (300, 20, 8))):
            array = self.result[name]
            self.assertIsInstance(array, manychain.DeviceArray)
            self.assertEqual((array.shape, array.ndim, array.size, len(array)), (shape, len(shape), int(np.prod(shape)), 300))
            self.assertEqual(array.nbytes, array.size * array.dtype.itemsize)
            self.assertTrue(same_bits(array.numpy(), self.plain[name]))
            told = array.__cuda_array_interface__
            self.assertEqual((told["shape"], told["typestr"], told["version"], told["strides"], told["stream"]),
                             (shape, array.dtype.str, 3, None, None))
            address, read_only = told["data"]
            self.assertFalse(read_only)  # PyTorch takes no other memory
            self.assertTrue(np.array_equal(by_address(address, shape, array.dtype), self.plain[name]))
            self.assertRegex(repr(array), f"DeviceArray.shape={shape[:1]}".replace("(", ".").replace(",)", ","))

    def test_dlpack(self):
        array = self.result["theta"]
        self.assertEqual(array.__dlpack_device__(), (2, 0))
        taken = Consumer(array)
        self.assertEqual((taken.shape, taken.strides, taken.device), ((300, 20, 8), (160, 8, 1), (2, 0)))
        self.assertTrue(np.array_equal(taken.values, self.plain["theta"]))
        self.assertEqual(taken.tensor.contents.data, array.__cuda_array_interface__["data"][0])  # not copied
        taken.end()
        for refused in ({"dl_device": (1, 0)}, {"copy": True}):
            with self.assertRaises(BufferError):
                array.__dlpack__(**refused)
        array.__dlpack__(dl_device=(2, 0), copy=False)  # a capsule that nobody takes

    def test_memory_lives_as_long_as_an_array(self):
        result = manychain.sample("eight_schools", **{**CUDA, "seed": 5})
        expected = np.array(result["mu"].numpy())
        array, taken = result["mu"], Consumer(result["mu"])
        address = array.__cuda_array_interface__["data"][0]
        del result
        gc.collect()
        self.assertTrue(np.array_equal(by_address(address, array.shape, array.dtype), expected))
        del array
        gc.collect()
        self.assertTrue(np.array_equal(taken.values, expected))
        taken.end()

    def test_writing_changes_nothing_else(self):
        result = manychain.sample("eight_schools", **CUDA)
        before = np.array(result.summary("mu"))
        array = result["mu"]
        by_address(array.__cuda_array_interface__["data"][0], array.shape, array.dtype)[:] = 0
        self.assertTrue(np.array_equal(np.array(result.summary("mu")), before))
        self.assertTrue(same_bits(array.numpy(), self.plain["mu"]))

    def test_all_else_is_as_before(self):
        self.assertEqual(self.result.verdict, self.plain.verdict)
        self.assertTrue(np.array_equal(np.array(self.result.summary()), np.array(self.plain.summary())))
        for name in self.result:
            self.assertTrue(np.array_equal(manychain.rhat(self.result)[name], manychain.rhat(self.plain)[name]))
        self.assertTrue(same_bits(np.asarray(self.result["mu"]), self.plain["mu"]))
        self.assertEqual(np.asarray(self.result["mu"], dtype=np.float64).dtype, np.float64)
        self.assertEqual(self.result.to_datatree()["posterior"]["theta"].shape, (300, 20, 8))
        self.assertIsInstance(self.result.sample_stats["lp"], np.ndarray)
        with self.assertRaises(KeyError):
            self.result["nu"]
        with self.assertRaisesRegex(TypeError, "cannot be pickled: pickle numpy"):
            pickle.dumps(self.result["mu"])

    def test_no_leak(self):
        def resident():
            gc.collect()
            with open("/proc/self/statm", encoding="utf-8") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        array = self.result["theta"]
        for _ in range(200):
            array.__dlpack__()
        before = resident()
        for _ in range(20000):
            array.__dlpack__()
        self.assertLess(resident() - before, 2e6)

    def test_capsule_at_the_end_of_the_program(self):
        program = ("import manychain, sys\n"
                   f"sys.kept = manychain.sample('eight_schools', **{CUDA!r})['mu'].__dlpack__()\n")
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_refused_beside_a_store(self):
        with self.assertRaisesRegex(manychain.BadInput, "keep_on_device: the draws of a run that is stored"):
            manychain.sample("eight_schools", **CUDA, output="never.zarr")
        with self.assertRaisesRegex(manychain.BadInput, "keep_on_device: the draws of several devices"):
            manychain.sample("eight_schools", **CUDA, devices="0,1")


if __name__ == "__main__":
    unittest.main()
