package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/command"
	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/study"
	"github.com/keplersim/keplersim/study/bundle"
	"github.com/keplersim/keplersim/study/store"
)

// mostDifferences is the most differing cells that are printed.
const mostDifferences = 20

// replay runs a bundle again, and prints the differences from its table.
func (o *sweepOptions) replay(cmd *cobra.Command) error {
	format, err := tableFormat(o.format, o.output)
	if err != nil {
		return err
	}
	if err := checkFiles(cmd, []string{o.bundle.replay}, written{"output", o.output}); err != nil {
		return err
	}
	room, err := files.Temporary("keplersim-replay-")
	if err != nil {
		return runFailure{err}
	}
	defer room.Close()
	folder := filepath.Join(room.Path, "bundle")
	m, err := bundle.Unpack(o.bundle.replay, folder)
	if err != nil {
		return err
	}
	info, _ := debug.ReadBuildInfo()
	switch module, _ := bundle.Own(info); {
	case o.bundle.build != "" && m.Policies == nil:
		return errors.New("--build: this bundle has no policies of its own")
	case o.bundle.build != "":
		return o.replayWith(cmd, m, room.Path)
	case m.Policies != nil && m.Policies.Module != module:
		return fmt.Errorf("%s was made by a program with policies of its own, %s. "+
			"--build FOLDER builds it with the keplersim in FOLDER and "+
			"replays with it; that runs the bundle's Go code with your rights", o.bundle.replay, m.Policies.Module)
	}
	s, err := study.Unpacked(folder, m)
	if err != nil {
		return err
	}
	points, err := s.Points()
	if err != nil {
		return err
	}
	old, err := readTable(filepath.Join(folder, bundle.TableName))
	if err != nil {
		return err
	}
	rows, err := o.runAgain(cmd, s, points, filepath.Join(room.Path, "results"))
	if err != nil {
		return runFailure{err}
	}
	table := s.Table(rows)
	if o.output != "" {
		if err := writeReport(cmd, o.output, func(out *reportFile) error { return table.Write(out, format) }); err != nil {
			return err
		}
	}
	return compareReplay(cmd, m, folder, old, table)
}

// runAgain runs points with the store that the user names, or with a new one: results of an earlier run would prove nothing.
func (o *sweepOptions) runAgain(cmd *cobra.Command, s *study.Study, points []study.Point, folder string) ([]study.Row, error) {
	if o.store != "" || len(o.from) > 0 {
		how, done, err := o.open(cmd)
		if err != nil {
			return nil, err
		}
		defer done()
		return o.do(cmd, s, points, how)
	}
	results, err := store.Open(folder)
	if err != nil {
		return nil, err
	}
	results.Temporary = true
	return o.do(cmd, s, points, study.Run{Store: results, Jobs: o.jobs})
}

// compareReplay prints the differences between a table and that of its bundle.
func compareReplay(cmd *cobra.Command, m *bundle.Manifest, folder string, old, table *study.Table) error {
	var b strings.Builder
	fmt.Fprintf(&b, "made by  keplersim %s on %s\n", m.Program.Build, machineLine(m.Machine))
	fmt.Fprintf(&b, "run by   %s on %s\n", ownVersion(), machineLine(hostMachine(cmd.Context())))
	if p := m.Policies; p != nil {
		fmt.Fprintf(&b, "policies %s, commit %s\n", p.Module, named(p.Commit, p.Changed))
	}
	if err := compareBoards(&b, m, folder); err != nil {
		return err
	}
	list, err := study.Differences(old, table)
	if err != nil {
		return fmt.Errorf("the bundle's table is not that of its study: %w", err)
	}
	rows := map[int]bool{}
	worst := map[string]float64{}
	for i, d := range list {
		rows[d.Row] = true
		worst[d.Column] = max(worst[d.Column], math.Abs(d.Part))
		if i < mostDifferences {
			fmt.Fprintln(&b, d)
		}
	}
	if more := len(list) - mostDifferences; more > 0 {
		fmt.Fprintf(&b, "and %d more cells\n", more)
	}
	for _, column := range table.Columns {
		if part := worst[column]; part > 0 {
			fmt.Fprintf(&b, "%s differs by at most %.3g %%\n", column, 100*part)
		}
	}
	fmt.Fprintf(&b, "%d of %d rows are equal\n", len(table.Rows)-len(rows), len(table.Rows))
	if _, err := io.WriteString(cmd.OutOrStdout(), printable(b.String())); err != nil {
		return err
	}
	if len(rows) > 0 {
		return runFailure{fmt.Errorf("%d of %d rows differ from the bundle's table", len(rows), len(table.Rows))}
	}
	return nil
}

// named returns a commit in words.
func named(commit string, changed bool) string {
	if changed {
		commit += ", with changes"
	}
	return cmp.Or(commit, "unknown")
}

// printable replaces characters with which a stranger's bundle could manipulate a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// machineLine describes a machine on one line.
func machineLine(m bundle.Machine) string {
	line := fmt.Sprintf("%s, %d threads", cmp.Or(m.Processor, m.OS+"/"+m.Arch), m.Threads)
	if m.Clang > 0 {
		line += fmt.Sprintf(", clang %d", m.Clang)
	}
	return line
}

// compareBoards prints the keys of boards whose values in this keplersim differ from the bundle's.
func compareBoards(w io.Writer, m *bundle.Manifest, folder string) error {
	for _, b := range m.Boards {
		if b.File != "" {
			continue // the bundle has the board's file
		}
		then, err := configs.Load(filepath.Join(folder, filepath.FromSlash(b.Values)), nil)
		if err != nil {
			fmt.Fprintf(w, "board %s had keys that this keplersim reads differently: %v\n", b.Name, err)
			continue
		}
		now, err := configs.Load(b.Name, nil)
		if err != nil {
			return err
		}
		differences, _ := configs.Diff(then, now)
		for _, d := range differences {
			fmt.Fprintf(w, "board %s: %s was %s and is %s\n", b.Name, d.Key, d.A, d.B)
		}
	}
	return nil
}

// replayWith builds the policies of a bundle, and replays with the resulting program. The source goes into its own folder, so that the
// build cannot change the bundle that it is compared with.
func (o *sweepOptions) replayWith(cmd *cobra.Command, m *bundle.Manifest, room string) error {
	checkout, err := filepath.Abs(o.bundle.build)
	if err != nil {
		return err
	}
	module, err := bundle.FindModule(bundle.Keplersim, checkout)
	if err != nil || module != checkout {
		return fmt.Errorf("--build %s: this is not the folder of a keplersim's source", o.bundle.build)
	}
	program := filepath.Join(room, "policies")
	source := filepath.Join(room, "bundle", bundle.PoliciesFolder)
	for _, words := range [][]string{
		{"mod", "edit", "-replace=" + bundle.Keplersim + "=" + checkout},
		{"build", "-trimpath", "-buildvcs=false", "-mod=mod", "-o", program, "./" + m.Policies.Package},
	} {
		if err := goTool(cmd.Context(), source, words...); err != nil {
			return runFailure{fmt.Errorf("build the bundle's policies: %w", err)}
		}
	}
	commit, changed := bundle.CommitOf(cmd.Context(), checkout, ".") // the program itself does not know it
	fmt.Fprintf(cmd.OutOrStdout(), "built with the keplersim in %s, commit %s\n", checkout, named(commit, changed))
	words := []string{"sweep", "--replay", o.bundle.replay, "--jobs", fmt.Sprint(o.jobs)}
	for _, flag := range [][2]string{{"store", o.store}, {"output", o.output}, {"format", o.format}} {
		if flag[1] != "" {
			words = append(words, "--"+flag[0]+"="+flag[1])
		}
	}
	for _, from := range o.from {
		words = append(words, "--from="+from)
	}
	child := command.Program(cmd.Context(), program, words...)
	child.Stdout, child.Stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
	err = child.Run()
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.Exited() {
		return programStatus(exit.ExitCode()) // the program has said why
	}
	if err != nil {
		return runFailure{err}
	}
	return nil
}

// goTool runs the go command in a folder. An error includes its output.
func goTool(ctx context.Context, folder string, words ...string) error {
	tool, err := exec.LookPath("go")
	if err != nil {
		return errors.New("there is no go on PATH: --build needs Go, https://go.dev/dl")
	}
	c := command.Tool(ctx, tool, words...)
	c.Dir = folder
	c.Env = append(os.Environ(), "GOWORK=off")
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	if err := c.Run(); err != nil {
		return fmt.Errorf("go %s: %w: %s", words[0], err, strings.TrimSpace(said.String()))
	}
	return nil
}
