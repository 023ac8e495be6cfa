"""Nested frozen dataclasses with ranges: how a configuration is declared, parsed, checked and printed."""
