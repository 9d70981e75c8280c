"""python -m priorityd_allocations."""

import sys

from priorityd_allocations.main import main

sys.exit(main())
