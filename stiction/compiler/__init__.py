"""How Python becomes machine code: decorators, and the cache of compiled code."""
