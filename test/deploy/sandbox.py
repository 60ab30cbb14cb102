"""Runs a program under a filter of system calls as systemd makes it, but that what is not allowed kills.
Arguments: the allowed calls, comma-separated; the allowed address families, comma-separated; the program and its words."""
import ctypes
import errno
import os
import socket
import sys

KILL_PROCESS, ALLOW, ERRNO = 0x80000000, 0x7FFF0000, 0x00050000
EQUAL = 4


class Comparison(ctypes.Structure):
    _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]


seccomp = ctypes.CDLL("libseccomp.so.2")
seccomp.seccomp_init.restype = ctypes.c_void_p
seccomp.seccomp_rule_add_array.argtypes = [
    ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint, ctypes.POINTER(Comparison)]
seccomp.seccomp_load.argtypes = [ctypes.c_void_p]


def rule(filter, action, call, *comparisons):
    number = seccomp.seccomp_syscall_resolve_name(call.encode())
    if number < 0:
        return  # of another processor
    array = (Comparison * len(comparisons))(*comparisons)
    if seccomp.seccomp_rule_add_array(filter, action, number, len(comparisons), array) != 0:
        sys.exit(f"no rule for {call}")


calls, families, *program = sys.argv[1:]
allowed = [getattr(socket, family) for family in families.split(",")]
filter = seccomp.seccomp_init(KILL_PROCESS)
for call in calls.split(","):
    if call != "socket":
        rule(filter, ALLOW, call)
for family in range(64):
    action = ALLOW if family in allowed else ERRNO | errno.EAFNOSUPPORT
    rule(filter, action, "socket", Comparison(0, EQUAL, family, 0))
if seccomp.seccomp_load(filter) != 0:
    sys.exit("the filter is refused")
os.execv(program[0], program)
