import sys, time, tempfile, traceback, os
from pathlib import Path
import gpusim
from tests.frontends.cuda_cpp.test_classes import *
first, last = int(sys.argv[1]), int(sys.argv[2]); log=sys.argv[3] if len(sys.argv)>3 else ''
done=bad=0
t0=time.time()
for start in range(first,last,25):
    progs={s:random_program(s) for s in range(start,min(last,start+25))}
    folder=Path(tempfile.mkdtemp(prefix='hunt'))
    try: ref=Reference(HELPERS+"".join(p.prologue.removeprefix(HELPERS)+p.function for p in progs.values()),folder)
    except AssertionError as e:
        print("GENERATOR",start,str(e)[:1500],flush=True); bad+=1
        if 'stop' in sys.argv: break
        continue
    for s,p in progs.items():
        d,m=MACHINES[s%4]
        done+=1
        try:
            with gpusim.use(d,scheduling=m):
                found=differences(p,ref)
            if found: bad+=1; print("DIFF",s,found[0][1],flush=True)
        except Exception as e:
            bad+=1
            msg=str(e).replace("\n"," | ")[:230]
            tb=traceback.extract_tb(e.__traceback__)[-1]
            print("ERR",s,type(e).__name__,msg if type(e).__module__.startswith('gpusim') else msg+f" @{os.path.basename(tb.filename)}:{tb.lineno}",flush=True)
print("TOTAL",done,"bad",bad,f"{time.time()-t0:.0f}s",flush=True)
