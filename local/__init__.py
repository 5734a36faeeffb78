"""An Azure on loopback, a virtual GPU VM and a Functions host, for demo and tests.

The virtual VM runs the real one's own agent: it is found where it lies in the payload.
"""

import sys
from pathlib import Path

_AGENT = Path(__file__).parents[1] / "vm_payload/rootfs/opt/kimi"
if str(_AGENT) not in sys.path:
    sys.path.append(str(_AGENT))
