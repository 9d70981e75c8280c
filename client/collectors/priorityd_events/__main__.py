"""python -m priorityd_events."""

import sys

from priorityd_events.main import main

sys.exit(main())
