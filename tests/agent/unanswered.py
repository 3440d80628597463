"""Programs that read into memory, or write from it, which their own file system never provides."""

from __future__ import annotations

_PAGE = """
import ctypes, mmap, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
server = os.open("/dev/fuse", os.O_RDWR)
options = f"fd={server},rootmode=40755,user_id=0,group_id=0".encode()
where = sys.argv[1].encode()
if libc.unshare(0x20000) or libc.mount(b"none", b"/", None, 0x44000, None):  # a mount namespace
    sys.exit(print("not here", flush=True))
if libc.mount(b"hung", where, b"fuse", 0, options):
    sys.exit(print("not here", flush=True))
def info(number, mode):
    return struct.pack("<6Q10I", number, 4096, 8, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)
if os.fork() == 0:
    while True:
        _, code, unique, node = struct.unpack_from("<IIQQ", os.read(server, 1 << 18))
        answer = {
            1: struct.pack("<4Q2I", 2, 0, 3600, 3600, 0, 0) + info(2, 0o100666),  # LOOKUP
            3: struct.pack("<Q2I", 3600, 0, 0) + info(node, 0o40755 if node == 1 else 0o100666),
            14: struct.pack("<QII", 7, 0, 0),  # OPEN
            26: struct.pack("<IIIIHHIIHHI28x", 7, 31, 65536, 0, 12, 10, 4096, 1, 0, 0, 0),  # INIT
        }.get(code)
        if code == 15:  # READ
            print("asked", flush=True)
        elif answer is not None:
            os.write(server, struct.pack("<IiQ", 16 + len(answer), 0, unique) + answer)
        elif code != 2:
            os.write(server, struct.pack("<IiQ", 16, -38, unique))
os.close(server)  # this process can be killed then: its server is another one
page = mmap.mmap(os.open(where + b"/x", os.O_RDWR), 4096)
address = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(page)))
"""
"""Makes `address` that of a page of a file. Its file system, mounted at the first argument, never
answers when the page is asked for. Says "asked" then, or "not here" if there can be none."""

READS_INTO_NOTHING = f"{_PAGE}libc.read(0, address, 100)"
"""Reads its input."""
WRITES_FROM_NOTHING = f"{_PAGE}libc.write(os.open(sys.argv[2], os.O_WRONLY), address, 100)"
"""Writes to the file that the second argument names."""
