"""python -m priorityd_money."""

import sys

from priorityd_money.main import main

sys.exit(main())
