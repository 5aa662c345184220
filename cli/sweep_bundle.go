package cli

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/report/effects"
	"github.com/keplersim/keplersim/study"
	"github.com/keplersim/keplersim/study/bundle"
	"github.com/keplersim/keplersim/toolchain"
)

// bundleOptions are the flags of keplersim sweep for bundles.
type bundleOptions struct {
	file, source  string // the bundle to write, and the folder with the policies' source
	replay, build string // the bundle to read, and the keplersim to build its policies with
}

func (o *bundleOptions) flags(command *cobra.Command) {
	f := command.Flags()
	f.StringVar(&o.file, "bundle", "", "write the study with all that it reads, its table and figures to one file, a .tar.gz")
	f.StringVar(&o.source, "source", "", "with --bundle: the module of this program's own policies (default: that of the working "+
		"directory, or of the program's file)")
	f.StringVar(&o.replay, "replay", "", "run a bundle again in place of a study, and say which rows differ from its table")
	f.StringVar(&o.build, "build", "",
		"with --replay: build the bundle's policies with the keplersim in this folder, and replay with that "+
			"program; it runs the bundle's Go code with your rights")
}

// checkBundle returns an error for flags that cannot be combined.
func (o *sweepOptions) checkBundle() error {
	b := o.bundle
	switch {
	case b.file != "" && (o.shard != "" || o.list || o.slurm.dryRun):
		return errors.New("--bundle takes a whole table: leave out --shard, --list and --dry-run")
	case b.source != "" && b.file == "":
		return errors.New("--source goes with --bundle")
	case b.build != "" && b.replay == "":
		return errors.New("--build goes with --replay")
	case b.replay != "" && (b.file != "" || o.shard != "" || o.list || o.slurm.wanted):
		return errors.New("--replay runs a whole bundle here: leave out --bundle, --shard, --list and --slurm")
	}
	return nil
}

// packed is a study ready to be bundled, except its table.
type packed struct {
	manifest *bundle.Manifest
	members  []bundle.Member
}

// pack collects a bundle's contents before the study runs, so that errors show early.
func (o *sweepOptions) pack(cmd *cobra.Command, s *study.Study, points []study.Point) (*packed, error) {
	m := &bundle.Manifest{Machine: hostMachine(cmd.Context())}
	members, err := s.Pack(cmd.Context(), points, m)
	if err != nil {
		return nil, err
	}
	hash, err := ownHash()
	if err != nil {
		return nil, err
	}
	m.Program = bundle.Program{Build: thisBuild(), SHA256: hex.EncodeToString(hash)}
	info, _ := debug.ReadBuildInfo()
	module, pkg := bundle.Own(info)
	if module == "" {
		if m.Program.Changed {
			fmt.Fprintf(cmd.ErrOrStderr(), "note: this keplersim was built from files that differ from commit %s, and the bundle does not "+
				"have them; commit them first, or keep your policies in a module of your own\n", m.Program.Commit)
		}
		return &packed{m, members}, nil
	}
	folders := []string{o.bundle.source}
	if o.bundle.source == "" {
		folders = []string{"."}
		if program, err := os.Executable(); err == nil {
			folders = append(folders, filepath.Dir(program))
		}
	}
	folder, err := bundle.FindModule(module, folders...)
	if err != nil {
		return nil, fmt.Errorf("%w: name its folder with --source", err)
	}
	source, code, err := bundle.ReadSource(cmd.Context(), folder, module, pkg)
	if err != nil {
		return nil, err
	}
	if m.Policies = source; m.Program.Commit == "" {
		m.Program.Commit = source.Keplersim
	}
	return &packed{m, append(members, code...)}, nil
}

// hostMachine describes the machine that the program runs on.
func hostMachine(ctx context.Context) bundle.Machine {
	m := bundle.Machine{OS: runtime.GOOS, Arch: runtime.GOARCH, Threads: runtime.NumCPU()}
	if clang, err := toolchain.FindClang(ctx); err == nil {
		m.Clang = clang.Version
	}
	text, err := files.Read("/proc/cpuinfo", 4<<20)
	if err != nil {
		return m
	}
	for line := range strings.Lines(string(text)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			m.Processor = strings.TrimSpace(value)
			break
		}
	}
	return m
}

// writeBundle writes the bundle with the table and its figures. It then reads the bundle back, and checks that its points have the inputs
// that were run.
func (o *sweepOptions) writeBundle(p *packed, s *study.Study, points []study.Point, table *study.Table) error {
	var text bytes.Buffer
	if err := table.Write(&text, "csv"); err != nil {
		return err
	}
	p.members = append(p.members, bundle.Member{Name: bundle.TableName, Data: text.Bytes()})
	if a, err := effects.New(table, "", "", false); err == nil && len(a.Points) > 0 {
		page, err := a.Page()
		if err != nil {
			return err
		}
		p.members = append(p.members, bundle.Member{Name: bundle.PageName, Data: []byte(page)})
	}
	out, err := files.Create(o.bundle.file)
	if err != nil {
		return fmt.Errorf("--bundle: %w", err)
	}
	defer out.Close()
	if err := bundle.Write(out, p.manifest, p.members); err != nil {
		return fmt.Errorf("--bundle: %w", err)
	}
	if err := out.Commit(); err != nil {
		return fmt.Errorf("--bundle: %w", err)
	}
	room, err := files.Temporary("keplersim-bundle-")
	if err != nil {
		return fmt.Errorf("--bundle: %w", err)
	}
	defer room.Close()
	m, err := bundle.Unpack(o.bundle.file, room.Path)
	if err != nil {
		return fmt.Errorf("--bundle: %w", err)
	}
	again, err := study.Unpacked(room.Path, m)
	if err == nil {
		err = s.SameInputs(points, again)
	}
	if err != nil {
		return fmt.Errorf("--bundle: %s is not whole: %w", o.bundle.file, err)
	}
	return nil
}
