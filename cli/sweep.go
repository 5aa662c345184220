package cli

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/code/sources"
	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/study"
	"github.com/keplersim/keplersim/study/store"
)

// sweepOptions are the flags of keplersim sweep.
type sweepOptions struct {
	store          string
	from           []string
	jobs           int
	shard          string
	format, output string
	list           bool
	slurm          slurmOptions
	bundle         bundleOptions
}

// storeFlags adds the flags of every command that runs points of a study.
func (o *sweepOptions) storeFlags(command *cobra.Command) {
	f := command.Flags()
	f.StringVar(&o.store, "store", "", "the folder that keeps results (default: keplersim/results in the user's cache folder)")
	f.StringArrayVar(&o.from, "from", nil, "take results from another such folder, too, which may be read-only (may be repeated)")
	f.IntVar(&o.jobs, "jobs", runtime.NumCPU(), "points that run at once")
}

// newSweepCommand runs a study.
func newSweepCommand() *cobra.Command {
	o := &sweepOptions{}
	command := &cobra.Command{
		Use: "sweep STUDY | --replay FILE",
		Args: func(cmd *cobra.Command, args []string) error {
			if o.bundle.replay != "" && len(args) == 0 {
				return nil
			}
			if o.bundle.replay != "" || len(args) != 1 {
				return errors.New("sweep takes one study, or --replay and no study; keplersim sweep --help shows examples")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.checkBundle(); err != nil {
				return err
			}
			if o.bundle.replay != "" {
				return o.replay(cmd)
			}
			return o.run(cmd, args[0])
		},
	}
	o.storeFlags(command)
	f := command.Flags()
	f.StringVar(&o.shard, "shard", "", "run one share of the points, as in 2/7: the second of seven")
	f.StringVar(
		&o.format, "format", "", "the table: "+strings.Join(study.Formats(), ", ")+" (default: as the ending of --output, else csv)",
	)
	f.BoolVar(&o.list, "list", false, "print how many points there are and which, and run nothing")
	outputFlag(f, &o.output)
	o.slurm.flags(command)
	o.bundle.flags(command)
	command.AddCommand(newSweepReportCommand())
	return command
}

// run runs the command.
func (o *sweepOptions) run(cmd *cobra.Command, path string) error {
	shard, shards, err := parseShard(o.shard)
	if err != nil {
		return err
	}
	format, err := tableFormat(o.format, o.output)
	if err != nil {
		return err
	}
	s, err := study.Load(path)
	if err != nil {
		return err
	}
	points, err := s.Points()
	if err != nil {
		return err
	}
	if o.list {
		return listPoints(cmd.OutOrStdout(), s, points)
	}
	if err := checkFiles(cmd, studyFiles(cmd.Context(), s, o.output), written{"output", o.output},
		written{"bundle", o.bundle.file}); err != nil {
		return err
	}
	var bundled *packed
	if o.bundle.file != "" {
		if bundled, err = o.pack(cmd, s, points); err != nil {
			return err
		}
	}
	if o.slurm.wanted || o.slurm.launcher != "" {
		if err := o.submit(cmd, s, path, len(points)); err != nil || o.slurm.dryRun {
			return err
		}
	}
	var rows []study.Row
	err = writeReport(cmd, o.output, func(out *reportFile) error {
		how, done, err := o.open(cmd)
		if err != nil {
			return err
		}
		defer done()
		how.Shard, how.Shards = shard, shards
		if rows, err = o.do(cmd, s, how.Share(points), how); err != nil {
			return runFailure{err}
		}
		return s.Table(rows).Write(out, format)
	})
	if err == nil && bundled != nil {
		if err = o.writeBundle(bundled, s, points, s.Table(rows)); err != nil {
			err = runFailure{err}
		}
	}
	if err != nil {
		return err
	}
	printRowNotes(cmd.ErrOrStderr(), rows)
	return rowsFailure(rows)
}

// mostNotes is the most notes that a study prints.
const mostNotes = 10

// printRowNotes prints each note of a study's points once, with the number of points that have it.
func printRowNotes(out io.Writer, rows []study.Row) {
	points := map[string]int{}
	var notes []string
	for _, r := range rows {
		for _, n := range r.Outcome.Notes {
			if points[n]++; points[n] == 1 {
				notes = append(notes, n)
			}
		}
	}
	for _, n := range notes[:min(mostNotes, len(notes))] {
		fmt.Fprintf(out, "note: %d of %d points: %s\n", points[n], len(rows), n)
	}
	if more := len(notes) - mostNotes; more > 0 {
		fmt.Fprintf(out, "note: %d other notes; keplersim run prints those of one point\n", more)
	}
}

// studyFiles returns the files that the points of a study read. If the output exists, they include headers of CUDA C, as far as they are
// included without the points' definitions.
func studyFiles(ctx context.Context, s *study.Study, output string) []string {
	list := append([]string{s.Path}, configFiles(s.Boards...)...)
	for _, file := range s.Files {
		list = append(list, host.FilesOf(file, nil)...)
	}
	if info, err := os.Stat(output); err != nil || !info.Mode().IsRegular() {
		return list
	}
	slices.Sort(list)
	list = slices.Compact(list)
	var reader sources.Reader
	for _, file := range list {
		if code.IsCUDA(file) {
			_, _ = reader.PTX(ctx, file, "sm_35") // the points report its errors
		}
	}
	return append(list, reader.Included...)
}

// open returns how to run points, with the store. Call done after them.
func (o *sweepOptions) open(cmd *cobra.Command) (how study.Run, done func(), err error) {
	results, done, err := openStore(cmd, "store", o.store, o.from...)
	if err != nil {
		return how, nil, err
	}
	version, err := ownHash()
	if err != nil {
		done()
		return how, nil, err
	}
	return study.Run{Store: results, Version: version, Jobs: o.jobs}, done, nil
}

// openStore opens the store that a flag names, or the user's own. If that cannot be opened, results are kept only until done is called.
func openStore(cmd *cobra.Command, flag, folder string, from ...string) (results *store.Store, done func(), err error) {
	done = func() {}
	if folder != "" {
		if results, err = store.Open(folder, from...); err != nil {
			return nil, nil, fmt.Errorf("--%s: %w", flag, err)
		}
		return results, done, nil
	}
	folder, err = store.Default()
	if err == nil {
		if results, err = store.Open(folder, from...); err == nil {
			return results, done, nil
		}
	}
	if len(from) > 0 { // the fault may be in these
		return nil, nil, err
	}
	room, failure := files.Temporary("keplersim-results-")
	if failure != nil {
		return nil, nil, runFailure{errors.Join(err, failure)}
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "note: results are not kept after this command (--%s FOLDER keeps them): %s\n", flag,
		strings.ReplaceAll(err.Error(), "\n", "; "))
	if results, err = store.Open(room.Path); err != nil {
		room.Close()
		return nil, nil, runFailure{err}
	}
	results.Temporary = true
	return results, room.Close, nil
}

// do runs points with a progress bar.
func (o *sweepOptions) do(cmd *cobra.Command, s *study.Study, points []study.Point, how study.Run) ([]study.Row, error) {
	defer expectReport(cmd.Context())()
	var done func()
	how.Progress, done = studyProgress(cmd.ErrOrStderr(), len(points))
	defer done()
	kept, draw := 0, how.Progress
	how.Progress = func(p study.Progress) {
		if kept = p.Kept; draw != nil {
			draw(p)
		}
	}
	rows, err := s.Do(cmd.Context(), points, how)
	if kept > 0 && err == nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d points were in the store\n", kept, len(points))
	}
	return rows, err
}

// studyProgress draws a progress bar if the output is a terminal. done removes it.
func studyProgress(out io.Writer, total int) (progress func(study.Progress), done func()) {
	if _, ok := terminalOf(out); !ok {
		return nil, func() {}
	}
	bar := progressbar.NewOptions(total, progressbar.OptionSetWriter(out), progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false), progressbar.OptionClearOnFinish())
	start := time.Now()
	return func(p study.Progress) {
		part := 0.0 // of the points to run
		if p.Done > p.Kept {
			part = float64(p.Done-p.Kept) / float64(total-p.Kept)
		}
		bar.Describe(fmt.Sprintf("points (%d kept, %d not ok): %s", p.Kept, p.NotOK, times(time.Since(start), part)))
		_ = bar.Set(p.Done) // a drawing error is no reason to stop
	}, func() { _ = bar.Finish() }
}

// rowsFailure returns an error for rows that are not OK, with the reason of the first.
func rowsFailure(rows []study.Row) error {
	bad, first := 0, -1
	for i, r := range rows {
		if r.Outcome.Status != study.OK {
			if bad++; first < 0 {
				first = i
			}
		}
	}
	if bad == 0 {
		return nil
	}
	r := rows[first]
	return runFailure{fmt.Errorf("%d of %d points are not ok; the first, %s on %s %s, is %s: %s", bad, len(rows), study.Title(r.Point.File),
		r.Point.Board, strings.Join(r.Point.Values, " "), r.Outcome.Status, r.Outcome.Reason)}
}

// parseShard reads I/N as a share, counted from 0, and the number of shares; "" is everything.
func parseShard(text string) (shard, shards int, err error) {
	if text == "" {
		return 0, 1, nil
	}
	n, err := fmt.Sscanf(text, "%d/%d", &shard, &shards)
	if err != nil || n != 2 || shard < 1 || shard > shards || text != fmt.Sprintf("%d/%d", shard, shards) {
		return 0, 0, fmt.Errorf("--shard %s: give the share and how many there are, as in 2/7", text)
	}
	return shard - 1, shards, nil
}

// tableFormat returns the format of a table: the user's, else that of the file's extension.
func tableFormat(format, output string) (string, error) {
	if format == "" {
		format = strings.TrimPrefix(filepath.Ext(output), ".")
		if !slices.Contains(study.Formats(), format) {
			return "csv", nil
		}
	}
	return format, study.CheckFormat(format)
}

// listPoints prints the points of a study.
func listPoints(w io.Writer, s *study.Study, points []study.Point) error {
	fmt.Fprintf(w, "%d points\n", len(points))
	for _, p := range points {
		var values []string
		for i, a := range s.Axes {
			values = append(values, a.Name+"="+p.Values[i])
		}
		if _, err := fmt.Fprintf(w, "%s on %s %s\n", study.Title(p.File), p.Board, strings.Join(values, " ")); err != nil {
			return err
		}
	}
	return nil
}

// ownHash returns the hash of the running program. Results of another simulator are not reused.
func ownHash() ([]byte, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("this simulator cannot be identified: %w", err)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("this simulator cannot be identified: %w", err)
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return nil, fmt.Errorf("this simulator cannot be identified: %w", err)
	}
	return h.Sum(nil), nil
}
