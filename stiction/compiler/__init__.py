"""How Python becomes machine code: decorators, cached code, errors that name a user's line."""
