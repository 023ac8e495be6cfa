"""The C++ sources of the games, and the module `_native` that is compiled from them."""
