import sys
from tests.frontends.cuda_cpp.test_classes import *
import tempfile; from pathlib import Path
PRE=HELPERS
for start in range(int(sys.argv[1]),int(sys.argv[2]),25):
    progs={s:random_program(s) for s in range(start,start+25)}
    try: Reference(HELPERS+"".join(p.prologue.removeprefix(HELPERS)+p.function for p in progs.values()),Path(tempfile.mkdtemp(prefix='hunt')))
    except AssertionError as e: print([l[:230] for l in str(e).splitlines() if 'error:' in l][:8])
