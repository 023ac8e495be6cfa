"""Many machines: engines and collectors on a Ray cluster, and runs in a storage behind an address.

No other package imports this one: `worldmodels.core.cluster` loads its modules by name.
"""
