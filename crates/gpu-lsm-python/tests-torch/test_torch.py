"""Tensors of torch as columns, and its workers. Run by `just python-torch`, because torch is large."""

import gpu_lsm
import numpy as np
import pytest
import torch
from gpu_lsm.columns import column
from gpu_lsm.types import key_type
from torch.utils.data import DataLoader, Dataset, get_worker_info


def test_a_tensor_is_not_copied():
    keys = torch.arange(1000)
    assert column(keys, key_type("int64"), "keys").__array_interface__["data"][0] == keys.data_ptr()
    d = gpu_lsm.Dictionary.build(keys, torch.arange(1000).to(torch.float32))
    values, found = d.lookup(torch.tensor([3, 1000, 7]))
    assert torch.from_numpy(values).tolist() == [3, 0, 7]
    assert found.tolist() == [True, False, True]
    d.insert(keys[::2], torch.zeros(500))
    assert d.lookup(torch.tensor([2, 3]))[0].tolist() == [0, 3]
    assert torch.from_dlpack(d.on_device().keys([5, 6])).tolist() == [5, 6]


def test_a_tensor_that_needs_a_gradient_is_refused():
    d = gpu_lsm.Dictionary("int64", "float32")
    with pytest.raises(gpu_lsm.errors.DtypeError, match="values"):
        d.insert([1], torch.zeros(1, requires_grad=True))


class Rows(Dataset):
    """Rows of a dictionary: of the parent, or one that each worker makes."""

    def __init__(self, inherited):
        self.d = gpu_lsm.Dictionary.build(np.arange(100), np.arange(100.0)) if inherited else None

    def __len__(self):
        return 100

    def __getitem__(self, i):
        assert get_worker_info() is not None
        if self.d is None:
            self.d = gpu_lsm.Dictionary.build(np.arange(100), np.arange(100.0))
        return float(self.d[i])


def test_workers_make_their_own_dictionary():
    gpu_lsm.Dictionary.build(np.arange(100_000))  # The parent's threads have started.
    loader = DataLoader(Rows(False), batch_size=10, num_workers=2, multiprocessing_context="fork", timeout=60)
    assert sum(batch.sum().item() for batch in loader) == 4950


def test_workers_get_an_error_for_the_dictionary_of_the_parent():
    loader = DataLoader(Rows(True), batch_size=10, num_workers=1, multiprocessing_context="fork", timeout=60)
    with pytest.raises(gpu_lsm.errors.ForkError, match="spawn"):
        list(loader)
