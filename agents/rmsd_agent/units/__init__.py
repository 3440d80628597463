"""Units of attempts, from outside: having shepherds run them, and what becomes of them."""
