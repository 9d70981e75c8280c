"""python -m priorityd_sync."""

import sys

from priorityd_sync.main import main

sys.exit(main())
