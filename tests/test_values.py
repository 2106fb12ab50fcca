"""Value classes behave as those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import field, replace
from typing import Any

import pytest

from paperagents.values import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Point:
    """Two numbers and notes."""

    x: int
    y: int = 0
    notes: list[str] = field(default_factory=list, compare=False)
    hidden: str = field(default="", repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Place(Point):
    """A point with a name."""

    name: str

    def __post_init__(self) -> None:
        """A name is needed."""
        if not self.name:
            raise ValueError(self.name)


@dataclass(frozen=True, kw_only=True, eq=False)
class Unlike:
    """Only itself."""

    x: int = 1


@dataclass(kw_only=True)
class Counter:
    """Changes."""

    count: int = 0
    seen: list[str] = field(default_factory=list)


class Undescribed:
    x: int = 1


def test_defaults_are_filled_in_and_never_shared() -> None:
    point, other = Point(x=1), Point(x=1)
    assert (point.x, point.y, point.notes) == (1, 0, [])
    assert point.notes is not other.notes


def test_equal_values_are_equal_and_have_one_hash() -> None:
    assert Point(x=1, notes=["a"]) == Point(x=1)
    assert Point(x=1) != Point(x=2)
    assert Point(x=1) != Place(x=1, name="a")
    assert len({Point(x=1), Point(x=1), Point(x=2)}) == 2
    assert Unlike() != Unlike()


@pytest.mark.parametrize("arguments", [{}, {"x": 1, "z": 2}])
def test_missing_and_unknown_names_are_refused(arguments: dict[str, Any]) -> None:
    for _ in range(2):
        with pytest.raises(TypeError):
            Point(**arguments)


def test_nothing_can_be_changed() -> None:
    point: Any = Point(x=1)
    for name in ("x", "z"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(point, name, 2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        del point.x
    assert not hasattr(point, "__dict__")


def test_a_subclass_has_the_fields_of_both_and_its_own_check() -> None:
    assert Place(x=1, name="a") == Place(name="a", x=1, y=0)
    with pytest.raises(ValueError, match=r"^$"):
        Place(x=1, name="")


def test_replacing_copying_and_pickling_give_equal_values() -> None:
    place = Place(x=1, name="a")
    assert replace(place, x=2) == Place(x=2, name="a")
    assert copy.deepcopy(place) == pickle.loads(pickle.dumps(place)) == place
    assert dataclasses.asdict(place) == {"x": 1, "y": 0, "notes": [], "hidden": "", "name": "a"}


def test_a_value_shows_its_fields_except_the_hidden() -> None:
    assert repr(Place(x=1, name="a")) == "Place(x=1, y=0, notes=[], name='a')"


def test_what_is_not_frozen_can_be_changed_and_is_no_key() -> None:
    counter = Counter(seen=["a"])
    counter.count += 1
    assert counter == Counter(count=1, seen=["a"])
    assert repr(counter).endswith("Counter(count=1, seen=['a'])")
    with pytest.raises(TypeError, match="unhashable"):
        hash(counter)


def test_a_class_without_words_needs_no_signature() -> None:
    assert dataclass(frozen=True, kw_only=True)(Undescribed).__doc__ == "Undescribed"
