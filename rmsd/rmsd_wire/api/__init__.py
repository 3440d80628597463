"""Bodies of the HTTP API under /v1, as the daemon reads and writes them (clients use plain JSON).

Every answer is one JSON object with a `schema` key, `rmsd.<name>/<version>`; later versions of the
same number only add keys. Errors are RFC 9457 problem objects (`problem.Problem`).

Times: `_us` are model microseconds since the epoch, `_s` seconds; clients convert them for people.
"""
