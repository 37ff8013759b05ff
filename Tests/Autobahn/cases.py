"""Loads the test cases of autobahntestsuite (PyPI) into Python 3.

The package is Python 2 throughout, although its classifiers say otherwise, and rests on Twisted. Its cases, though, are small
classes that only call the protocol they are given. This loads them unchanged but for what Python 3 spells otherwise:
byte strings are text of code points 0...255 here, and `protocol.py` turns them into bytes at the socket.
"""

import binascii
import builtins
import importlib.abc
import importlib.util
import os
import re
import sys
import types


class Utf8Validator:
    """The interface of autobahn.websocket.utf8validator that the cases use."""

    def reset(self):
        pass

    def validate(self, text):
        """(whether it may begin valid UTF-8, whether it ends on a code point, the index, the same)."""
        data = text.encode("latin-1")
        try:
            data.decode("utf-8")
            return True, True, len(data), len(data)
        except UnicodeDecodeError as error:
            isCut = error.end == len(data) and error.reason == "unexpected end of data"
            return isCut, False, error.start, error.start


class Binascii(types.ModuleType):
    """binascii as Python 2 has it: text in, text out."""

    @staticmethod
    def b2a_hex(text):
        return binascii.b2a_hex(text.encode("latin-1")).decode("ascii")

    @staticmethod
    def a2b_hex(text):
        return binascii.a2b_hex(text).decode("latin-1")

    hexlify = b2a_hex
    unhexlify = a2b_hex


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of the package's `case` folder, which import one another by bare names."""

    def __init__(self, folder):
        self.folder = folder

    def find_spec(self, name, path=None, target=None):
        file = os.path.join(self.folder, name + ".py")
        if not re.fullmatch(r"case\w*", name) or not os.path.exists(file):
            return None
        return importlib.util.spec_from_file_location(name, file, loader=self)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        # A character of more than one byte in a literal is that many bytes to Python 2.
        with open(module.__spec__.origin, encoding="latin-1") as file:
            source = file.read()
        source = re.sub(r"^(\s*)print (.*)$", r"\1print(\2)", source, flags=re.M)
        source = re.sub(r"\(object, Case, ?\)", "(Case,)", source)
        source = source.replace("len(self.payload) / self.p", "len(self.payload) // self.p")
        exec(compile(source, module.__spec__.origin, "exec"), module.__dict__)


def load(package, protocol):
    """The list of case classes, in the order of the suite, without those of compression (12.* and 13.*)."""
    builtins.xrange = range
    builtins.unichr = chr
    hexadecimal = Binascii("binascii")
    names = {"binascii": hexadecimal}
    for name in ("autobahn", "autobahn.websocket", "autobahn.websocket.protocol", "autobahn.websocket.utf8validator"):
        names[name] = types.ModuleType(name)
    names["autobahn.websocket.protocol"].WebSocketProtocol = protocol
    names["autobahn.websocket.utf8validator"].Utf8Validator = Utf8Validator
    before = {name: sys.modules.get(name) for name in names}
    sys.modules.update(names)
    folder = os.path.join(package, "case")
    sys.meta_path.insert(0, Finder(folder))
    with open(os.path.join(folder, "__init__.py"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    # 9.9 is not in the suite's own list, 12 and 13 are compression.
    unwanted = re.compile(r"12_X_X|13_X_X|case12|case13|case9_9")
    scope = {"__name__": "case_list"}
    exec(compile("\n".join(line for line in lines if not unwanted.search(line)), folder, "exec"), scope)
    for name, module in before.items():
        if module is None:
            del sys.modules[name]
        else:
            sys.modules[name] = module
    # Pickles of equal values may differ.
    sys.modules["case"].Case.compare = lambda self, a, b: a == b
    return scope["Cases"]


def identifier(case):
    """`Case1_2_3` is 1.2.3."""
    return case.__name__[len("Case"):].replace("_", ".")
