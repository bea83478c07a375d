"""The native launcher: one built-in function that checks the arguments of a known launch and records it."""

from __future__ import annotations

from .native import Launcher, launcher
from .plan import ArgumentKind, NativeArgument, NativePlan, PlanChain

__all__ = ["ArgumentKind", "Launcher", "NativeArgument", "NativePlan", "PlanChain", "launcher"]
