"""What is done to Python's cyclic garbage collector."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from numba_vulkan.collection import age_objects, collection_paused


@pytest.fixture
def _thawed() -> Iterator[None]:
    gc.unfreeze()
    yield
    gc.unfreeze()


def test_pauses_may_lie_in_each_other() -> None:
    with collection_paused():
        with collection_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_pause_leaves_the_collector_off_where_it_was() -> None:
    gc.disable()
    try:
        with collection_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.usefixtures("_thawed")
def test_aged_objects_are_old_and_still_collected() -> None:
    with collection_paused():
        young: list[object] = []
        young.append(young)
        age_objects()
        assert any(each is young for each in gc.get_objects(generation=2))
    assert gc.get_freeze_count() == 0
    del young
    assert gc.collect() > 0


@pytest.mark.usefixtures("_thawed")
def test_frozen_objects_stay_frozen() -> None:
    gc.freeze()
    frozen = gc.get_freeze_count()
    age_objects()
    assert gc.get_freeze_count() == pytest.approx(frozen, abs=100)
