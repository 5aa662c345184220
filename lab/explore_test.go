package lab_test
import ("testing";"context";"os";"fmt";"github.com/keplersim/keplersim/lab/engine")
func TestExplore(t *testing.T) {
	src, _ := os.ReadFile("/tmp/ks/three.cu"); w, _ := os.ReadFile("/tmp/ks/three.yaml")
	ptx := builtin(t, string(src))
	for _, e := range []string{"lrr!","gto!","oldest!","two-level!","waited","age","same*1000+age","0-age","last*1000+age","same*100+waited","age*10+waited","age*100 - waited","0-waited","same*1000+age*10+waited","slot","0-slot","last*1000+same*100+age","waited*10+age","waited > 20 ? waited*1000 : age", "waited > 8 ? waited*1000 : age", "last*3+waited"} {
		q := &engine.Request{Files: map[string]string{"kernel.ptx": ptx, "w.yaml": string(w)}, Run: "w.yaml"}
		if e[len(e)-1]=='!' { q.Set = []string{"smx.scheduler_policy="+e[:len(e)-1]} } else { q.Scheduler = e }
		r, err := engine.Run(context.Background(), q, engine.Limits{})
		if err != nil || r.Error != "" { t.Fatal(err, r.Error) }
		out := ""; s := uint64(0)
		for _, l := range r.Launches { out += fmt.Sprintf("%8d", l.KernelCycles); s += uint64(l.KernelCycles) }
		fmt.Printf("%-40s %s  %d\n", e, out, s)
	}
}
