package study

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/study/store"
)

// small are axes of a chip on which a small kernel takes a few milliseconds.
const small = `
vary:
  smx.count: [1]
  smx.scheduler: [gto, lrr]
  l2.latency: {from: 100, to: 500, step: 50}
`

// parse reads a study that runs files of cli/testdata.
func parse(t testing.TB, text string) *Study {
	t.Helper()
	folder, err := filepath.Abs("../cli/testdata")
	require.NoError(t, err)
	s, err := Parse(filepath.Join(folder, "study.yaml"), []byte(text))
	require.NoError(t, err)
	return s
}

func points(t testing.TB, s *Study) []Point {
	t.Helper()
	list, err := s.Points()
	require.NoError(t, err)
	return list
}

func openStore(t testing.TB, folder string, from ...string) *store.Store {
	t.Helper()
	s, err := store.Open(folder, from...)
	require.NoError(t, err)
	return s
}

// csvOf runs points, and returns their table and how many outcomes were in the store.
func csvOf(t testing.TB, s *Study, list []Point, how Run) (table string, kept int) {
	t.Helper()
	how.Progress = func(p Progress) { kept = p.Kept }
	rows, err := s.Do(context.Background(), list, how)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, s.Table(rows).Write(&out, "csv"))
	return out.String(), kept
}

func TestValuesOfAxes(t *testing.T) {
	for text, want := range map[string]string{
		"[8, 16, 256K]":                            "8 16 262144",
		"{from: 8, to: 64, powers: 2}":             "8 16 32 64",
		"{from: 0, to: 1, step: 0.25}":             "0 0.25 0.5 0.75 1",
		"{from: 64K, to: 128K, step: 32K}":         "65536 98304 131072",
		"{from: 100, to: 1000, powers: 3.1622777}": "100 316.22777",
		"5": "5",
		"[gto, {name: owl, group: 2}, {factor: 0.5, base: 1K, name: ccws}]": "gto {name: owl, group: 2} " +
			"{name: ccws, base: 1024, factor: 0.5}",
	} {
		s := parse(t, "run: [add.ptx]\nvary: {l2.latency: "+text+"}\n")
		assert.Equal(t, want, strings.Join(s.Axes[0].Values, " "), text)
	}
	for text, want := range map[string]string{
		"run: []":        "run: name what is run",
		"run: [no.yaml]": "there is no file",
		"run: [add.ptx]\nvary: {l2.latensy: [1]}": "neither a key of the configuration (docs/configs.md) nor an " +
			"option of a study; l2.latency is one",
		"run: [add.ptx]\nvary: {l2.latency: []}":                        "has no values",
		"run: [add.ptx]\nvary: {l2.latency: [1, 1]}":                    "has the value 1 twice",
		"run: [add.ptx]\nvary: {l2.latency: {from: 1, to: 2}}":          "either step: NUMBER or powers: NUMBER",
		"run: [add.ptx]\nvary: {l2.latency: {from: 3, to: 2, step: 1}}": "the first not above the second",
		"run: [add.ptx]\nvary: {l2.latency: {from: x, to: 2, step: 1}}": `from: "x" is not a number`,
		"run: [add.ptx]\nmetrics: [cycels]":                             "there is no metric cycels",
		"run: [add.ptx]\nsample: {seed: 3}":                             "give random: POINTS or latin-hypercube: POINTS",
		"run: [add.ptx]\nsomething: 1":                                  "unknown field",
		"run: [add.ptx]\nwhen: [smx.warps > 3]":                         "unknown name smx",
		"run: [add.ptx]\nwhen: ['board == \"none\"']":                   "no point holds the conditions",
	} {
		s, err := Parse("../cli/testdata/study.yaml", []byte(text))
		if err == nil {
			_, err = s.Points()
		}
		assert.ErrorContains(t, err, want, text)
	}
}

// A grid has every combination that the conditions allow. A sample has the requested number of points, the same ones for the same seed. A
// Latin hypercube has each value of an axis equally often.
func TestPointsOfASpace(t *testing.T) {
	s := parse(t, "run: [add.ptx, add-right.yaml]\nboards: [gk104, k40]\nvary:\n  block: [32, 64, 128]\n  l2.latency: [100, 200]\n"+
		"when: ['block < 128 || board == \"k40\" && l2.latency == 100']\n")
	all := points(t, s)
	assert.Len(t, all, 2*(2*2+2*2+1))
	assert.Equal(t, []string{"32", "100"}, all[0].Values)
	assert.Equal(t, []string{"32", "200"}, all[1].Values)

	hypercube := "run: [add.ptx]\nvary:\n  block: {from: 32, to: 1024, step: 32}\n  l2.latency: [100, 200, 300, 400]\n"
	s = parse(t, hypercube+"sample: {latin-hypercube: 32, seed: 5}\n")
	count := map[string]int{}
	for _, p := range points(t, s) {
		count[p.Values[0]]++
		count["latency "+p.Values[1]]++
	}
	for _, a := range s.Axes[0].Values {
		assert.Equal(t, 1, count[a], a)
	}
	for _, a := range s.Axes[1].Values {
		assert.Equal(t, 8, count["latency "+a], a)
	}
	assert.Equal(t, points(t, s), points(t, parse(t, hypercube+"sample: {latin-hypercube: 32, seed: 5}\n")))
	assert.NotEqual(t, points(t, s), points(t, parse(t, hypercube+"sample: {latin-hypercube: 32, seed: 6}\n")))
	assert.LessOrEqual(t, len(points(t, parse(t, hypercube+"sample: {random: 40}\n"))), 40)
}

// Each row says how its point ended: as expected, with a wrong result, or not at all, and why.
func TestRowsSayHowTheirPointsEnded(t *testing.T) {
	s := parse(t, "run: [add-right.yaml, add-wrong.yaml]\nvary:\n  smx.count: [1]\n  maxrregcount: [0, 3]\n  grid: ['2', '1,1,70000']\n"+
		"metrics: [cycles, gst_request, launches]\n")
	rows, err := s.Do(context.Background(), points(t, s), Run{Store: openStore(t, t.TempDir()), Jobs: 2})
	require.NoError(t, err)
	table := s.Table(rows)
	assert.Equal(t, []string{
		"workload", "board", "smx.count", "maxrregcount", "grid", "status", "reason", "cycles", "gst_request", "launches",
		"config", "keplersim", "schema",
	}, table.Columns)
	assert.Equal(t, []string{"cycles", "gst_request", "launches"}, table.Metrics())
	assert.Len(t, rows[0].Config, 16)
	assert.Equal(t, rows[0].Config, rows[len(rows)-1].Config, "options are no part of the configuration")
	for _, r := range rows {
		switch {
		case r.Point.Values[2] != "2":
			assert.Equal(t, Failed, r.Outcome.Status)
			assert.Contains(t, r.Outcome.Reason, "grid")
		case strings.Contains(r.Point.File, "wrong"):
			assert.Equal(t, Wrong, r.Outcome.Status)
			assert.Contains(t, r.Outcome.Reason, "expected 2.5")
		default:
			assert.Equal(t, OK, r.Outcome.Status, r.Outcome.Reason)
			assert.Positive(t, r.Outcome.Metrics["cycles"])
		}
	}
}

// Nothing runs twice. A changed value runs only the points that it changes; another simulator runs everything.
func TestOutcomesAreKept(t *testing.T) {
	folder := t.TempDir()
	s := parse(t, "run: [add-right.yaml]\n"+small)
	list := points(t, s)
	require.Len(t, list, 18)
	how := Run{Store: openStore(t, folder), Version: []byte("1"), Jobs: 2}
	first, kept := csvOf(t, s, list, how)
	assert.Zero(t, kept)
	again, kept := csvOf(t, s, list, how)
	assert.Equal(t, 18, kept)
	assert.Equal(t, first, again)

	wider := parse(t, "run: [add-right.yaml]\n"+strings.Replace(small, "lrr", "oldest", 1))
	_, kept = csvOf(t, wider, points(t, wider), how)
	assert.Equal(t, 9, kept, "those of gto")
	how.Version = []byte("2")
	_, kept = csvOf(t, s, list, how)
	assert.Zero(t, kept)
}

// The tables of all shares together are the whole table, for any number of shares.
func TestSharesAreTheWhole(t *testing.T) {
	s := parse(t, "run: [add-right.yaml, add-wrong.yaml]\n"+small)
	list := points(t, s)
	var want []string
	for _, shards := range []int{1, 4, 7} {
		if testing.Short() && shards == 7 {
			continue
		}
		var lines []string
		var stores []string
		for shard := range shards {
			how := Run{Store: openStore(t, t.TempDir()), Jobs: 1 + shard%2, Shard: shard, Shards: shards}
			stores = append(stores, how.Store.Folder())
			table, _ := csvOf(t, s, how.Share(list), how)
			part := strings.Split(strings.TrimSpace(table), "\n")
			if shard > 0 {
				part = part[1:]
			}
			lines = append(lines, part...)
		}
		slices.Sort(lines)
		if want == nil {
			want = lines
		}
		assert.Equal(t, want, lines, "%d shares", shards)
		gathered, kept := csvOf(t, s, list, Run{Store: openStore(t, t.TempDir(), stores...), Jobs: 2})
		assert.Equal(t, len(list), kept, "all of them in the stores of the shares")
		rest := strings.Split(strings.TrimSpace(gathered), "\n")
		slices.Sort(rest)
		assert.Equal(t, want, rest)
	}
}

// helped is the environment variable that makes this test binary a process to kill.
const helped = "KEPLERSIM_STUDY_STORE"

// TestHelperProcess runs a study in its own process.
func TestHelperProcess(t *testing.T) {
	folder := os.Getenv(helped)
	if folder == "" {
		t.Skip("for TestKilledStudiesLoseNothing")
	}
	s := parse(t, killed(t))
	_, err := s.Do(context.Background(), points(t, s), Run{Store: openStore(t, folder), Jobs: 2})
	require.NoError(t, err)
}

// killed is a study of 180 points, or of about KEPLERSIM_STUDY_POINTS points.
func killed(t testing.TB) string {
	n := 10
	if text := os.Getenv("KEPLERSIM_STUDY_POINTS"); text != "" {
		wanted, err := strconv.Atoi(text)
		require.NoError(t, err)
		n = wanted / 18
	}
	return "run: [add-right.yaml]\n" + small + "  dram.controller_latency: {from: 1, to: " + strconv.Itoa(n) + ", step: 1}\n"
}

// A study that is killed at any time, even twice at once on one store, ends with every row once, equal to an undisturbed run's.
func TestKilledStudiesLoseNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("runs processes")
	}
	kills, most := 5, 700*time.Millisecond
	if os.Getenv("KEPLERSIM_STUDY_POINTS") != "" {
		kills, most = 20, 10*time.Second
	}
	folder := t.TempDir()
	for i := range kills {
		var two []*exec.Cmd
		for range 1 + i%2 {
			c := exec.Command(os.Args[0], "-test.run=^TestHelperProcess$")
			c.Env = append(os.Environ(), helped+"="+folder)
			require.NoError(t, c.Start())
			two = append(two, c)
		}
		time.Sleep(150*time.Millisecond + rand.N(most))
		for _, c := range two {
			require.NoError(t, c.Process.Kill())
			_ = c.Wait()
		}
	}
	s := parse(t, killed(t))
	list := points(t, s)
	disturbed, kept := csvOf(t, s, list, Run{Store: openStore(t, folder), Jobs: 2})
	assert.Positive(t, kept, "what ran before it was killed")
	undisturbed, _ := csvOf(t, s, list, Run{Store: openStore(t, t.TempDir()), Jobs: 2})
	assert.Equal(t, undisturbed, disturbed)
	t.Logf("%d points, %d kept through %d kills", len(list), kept, kills)
}

// A study that cannot store its results ends with an error, and its stored results stay.
func TestAFullDiskEndsAStudy(t *testing.T) {
	folder := t.TempDir()
	s := parse(t, "run: [add-right.yaml]\n"+small)
	list := points(t, s)
	results := openStore(t, folder)
	var done atomic.Int64
	_, err := s.Do(context.Background(), list, Run{Store: results, Jobs: 1, Progress: func(p Progress) {
		if done.Add(1) == 3 { // from here on no file can be made, because files have the names of the folders
			for i := range 256 {
				name := filepath.Join(folder, strconv.FormatInt(int64(i)+256, 16)[1:])
				if _, err := os.Stat(name); err != nil {
					require.NoError(t, os.WriteFile(name, nil, 0o600))
				}
			}
		}
	}})
	require.ErrorContains(t, err, "of 18 points; the same command goes on from here: cannot keep a result in ")
	_, kept := csvOf(t, s, list[:3], Run{Store: results, Jobs: 1})
	assert.Equal(t, 3, kept)

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = s.Do(ctx, list, Run{Store: openStore(t, t.TempDir()), Jobs: 1})
	assert.True(t, errors.Is(err, context.Canceled))
}

// smallTable returns a table of two points; one has failed.
func smallTable() *Table {
	return &Table{
		Inputs: 3, Columns: []string{"workload", "board", "block", "status", "reason", "cycles", "ipc"},
		Rows: [][]string{{"a", "k40", "64", "ok", "", "1200", "0.25"}, {"b", "k40", "64", "failed", `no "room", at all`, "", ""}},
	}
}

// Tables have the same contents in every format; parquet_test.go covers Parquet.
func TestFormatsOfTables(t *testing.T) {
	table := smallTable()
	var csv, jsonl, file bytes.Buffer
	require.NoError(t, table.Write(&csv, "csv"))
	assert.Equal(t, "workload,board,block,status,reason,cycles,ipc\na,k40,64,ok,,1200,0.25\n"+
		"b,k40,64,failed,\"no \"\"room\"\", at all\",,\n",
		csv.String())
	back, err := ReadTable(&csv)
	require.NoError(t, err)
	assert.Equal(t, table, back)
	require.NoError(t, table.Write(&jsonl, "jsonl"))
	assert.Equal(t, `{"workload":"a","board":"k40","block":"64","status":"ok","reason":"","cycles":1200,"ipc":0.25}
{"workload":"b","board":"k40","block":"64","status":"failed","reason":"no \"room\", at all","cycles":null,"ipc":null}
`, jsonl.String())
	assert.Error(t, table.Write(&file, "xls"))
}

// The search finds the best point of a space in fewer points than the space has, and keeps to its budget. Where the whole space is known it
// says so.
func TestTuningFindsTheBest(t *testing.T) {
	s := parse(t, "run: [add-right.yaml, add.ptx]\n"+small)
	how := Run{Store: openStore(t, t.TempDir()), Jobs: 2}
	goal := Tuning{Metric: "cycles", Budget: 24, Keep: 3, Seed: 1}
	found, err := s.Tune(context.Background(), goal, how)
	require.NoError(t, err)
	assert.False(t, found.Known)
	assert.LessOrEqual(t, found.Spent, 24)
	assert.Equal(t, 36, found.Points)
	_, err = s.Do(context.Background(), points(t, s), how)
	require.NoError(t, err)
	again, err := s.Tune(context.Background(), goal, how)
	require.NoError(t, err)
	assert.True(t, again.Known)
	assert.Equal(t, found.Values, again.Values)
	assert.Less(t, again.Regret, 0.05)
	assert.Equal(t, "100", again.Values[2], "less latency is never worse")

	goal.Budget = 1
	_, err = s.Tune(context.Background(), goal, how)
	assert.ErrorContains(t, err, "a budget of 1 points is less than the 2 files")
}

// The script of a job array has a share, a store and a table for each task.
func TestScriptOfAJobArray(t *testing.T) {
	a := &Array{Name: "my study", Program: "/opt/keplersim", Study: "/data/my study.yaml", Folder: "/scratch/out", Tasks: 4, Jobs: 2,
		From: []string{"/shared/results"}, Options: []string{"--time=2:00:00"}}
	script, err := a.Script([]int{1, 2, 3, 4})
	require.NoError(t, err)
	assert.Equal(t, `#!/bin/sh
#SBATCH --job-name=keplersim-my-study
#SBATCH --array=1-4
#SBATCH --cpus-per-task=2
#SBATCH --output=/scratch/out/task-%a.log
#SBATCH --open-mode=append
#SBATCH --time=2:00:00
exec /opt/keplersim sweep '/data/my study.yaml' --shard "$SLURM_ARRAY_TASK_ID"/4 --jobs 2 \
  --store /scratch/out/results-"$SLURM_ARRAY_TASK_ID" \
  --output /scratch/out/part-"$SLURM_ARRAY_TASK_ID".csv \
  --from /shared/results
`, script)
	script, err = a.Script([]int{2, 4})
	require.NoError(t, err)
	assert.Contains(t, script, "--array=2,4\n")
}

// Parameters of a policy can be axes like keys. The policy itself may also be an axis, anywhere in the order; it is set first. A point
// whose policy does not take the parameter fails with that reason.
func TestParametersOfPoliciesAreAxes(t *testing.T) {
	s := parse(t, "run: [add.ptx]\nvary:\n  smx.count: [1]\n  smx.scheduler.group: [2, 4]\n  smx.scheduler: [two-level, gto]\n"+
		"when: [\"smx.scheduler.name != 'gto' || smx.scheduler.group == 2\"]\nmetrics: [cycles]\n")
	list := points(t, s)
	require.Len(t, list, 3)
	table, _ := csvOf(t, s, list, Run{Store: openStore(t, t.TempDir())})
	assert.Contains(t, table, "1,2,two-level,ok,")
	assert.Contains(t, table, "1,4,two-level,ok,")
	assert.Contains(t, table, "1,2,gto,")
	assert.Contains(t, table, "smx.scheduler.group: unknown parameter; gto takes none")
}
