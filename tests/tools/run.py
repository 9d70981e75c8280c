#!/usr/bin/env python3
"""Runs every *_test.py of this folder."""

import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
folder = pathlib.Path(__file__).resolve().parent
found = unittest.defaultTestLoader.discover(str(folder), pattern="*_test.py")
result = unittest.TextTestRunner(verbosity=2).run(found)
sys.exit(0 if result.testsRun and result.wasSuccessful() else 1)
