"""python -m priorityd_collect."""

import sys

from priorityd_collect.main import main

sys.exit(main())
