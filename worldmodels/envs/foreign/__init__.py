"""Environments of other packages behind the interface of the native games."""
