package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/internal/command"
	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/study"
	"github.com/keplersim/keplersim/study/store"
)

// slurmOptions are the flags of keplersim sweep for clusters.
type slurmOptions struct {
	wanted, dryRun  bool
	launcher        string
	tasks, attempts int
	folder          string
	options         []string
	poll            time.Duration
}

func (o *slurmOptions) flags(command *cobra.Command) {
	f := command.Flags()
	f.BoolVar(&o.wanted, "slurm", false, "have Slurm run the study as a job array, wait for it, and print the whole table")
	f.StringVar(&o.launcher, "launcher", "", "have this shell command run the shares, as in 'srun sh {script}': {shard} is the share "+
		"I/N, {task} I, {tasks} N, {script} a script that runs it. A command without {shard}, {task} and {script} starts once and "+
		"gets the scripts' names on its standard input, a line each, as in 'xargs -n 1 -P 4 sh'")
	f.BoolVar(&o.dryRun, "dry-run", false, "with --slurm or --launcher: print the script or the commands and start nothing")
	f.IntVar(&o.tasks, "tasks", 16, "with --slurm or --launcher: the tasks, which share the points")
	f.IntVar(&o.attempts, "attempts", 3, "with --slurm or --launcher: how often a task is started that does not end")
	f.StringVar(&o.folder, "folder", "", "with --slurm or --launcher: where scripts, logs and results of tasks go, on a file system of "+
		"all nodes (default: keplersim- and the study's name)")
	f.StringArrayVar(&o.options, "sbatch", nil, "with --slurm: a further option for sbatch, as in --time=2:00:00 (may be repeated)")
	f.DurationVar(&o.poll, "poll", 5*time.Second, "with --slurm: how often the queue is looked at")
}

// submit makes Slurm or a launcher run a study. The study's store then also reads the results of the tasks.
func (o *sweepOptions) submit(cmd *cobra.Command, s *study.Study, path string, points int) error {
	a, err := o.array(s, path, points)
	if err != nil {
		return err
	}
	left := make([]int, a.Tasks)
	for i := range left {
		left[i] = i + 1
	}
	if o.slurm.dryRun {
		text, err := o.slurm.preview(a, left)
		if err == nil {
			_, err = io.WriteString(cmd.OutOrStdout(), text)
		}
		return err
	}
	if err := os.MkdirAll(a.Folder, 0o755); err != nil {
		return fmt.Errorf("--folder: %w", err)
	}
	if left, err = o.slurm.pendingTasks(cmd, a, left); err != nil {
		return err
	}
	if len(left) > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d tasks have to run; scripts, logs and results are in %s\n", len(left), a.Tasks, a.Folder)
	}
	for attempt := 1; len(left) > 0; attempt++ {
		if attempt > o.slurm.attempts {
			return runFailure{fmt.Errorf("tasks %s did not end in %d attempts; %s has the log of the first. The results of the others "+
				"are kept, and "+
				"the same command goes on from here", numbers(left), o.slurm.attempts, a.Log(left[0]))}
		}
		if attempt > 1 {
			fmt.Fprintf(cmd.ErrOrStderr(), "tasks %s did not end (the log of the first: %s); they are submitted again\n", numbers(left),
				a.Log(left[0]))
		}
		runTasks := o.slurm.runTasks
		if o.slurm.launcher != "" {
			runTasks = o.slurm.launchTasks
		}
		if err := runTasks(cmd, a, left, attempt); err != nil {
			return runFailure{err}
		}
		left = unfinished(a, left)
	}
	for task := range a.Tasks {
		o.from = append(o.from, a.Results(task+1))
	}
	return nil
}

// array returns the study as a job array.
func (o *sweepOptions) array(s *study.Study, path string, points int) (*study.Array, error) {
	if o.shard != "" {
		return nil, errors.New("--slurm and --launcher make the shares themselves; leave out --shard")
	}
	if o.slurm.wanted && o.slurm.launcher != "" {
		return nil, errors.New("give --slurm or --launcher, not both")
	}
	if o.slurm.tasks < 1 || o.slurm.attempts < 1 {
		return nil, errors.New("--tasks and --attempts must be 1 or more")
	}
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("the program for the tasks cannot be found: %w", err)
	}
	folder := o.slurm.folder
	if folder == "" {
		folder = "keplersim-" + s.Name
	}
	a := &study.Array{
		Name: s.Name, Program: program, Study: path, Folder: folder, Tasks: min(o.slurm.tasks, points), Jobs: o.jobs, From: o.from,
		Options: o.slurm.options,
	}
	for _, p := range []*string{&a.Study, &a.Folder} {
		if *p, err = filepath.Abs(*p); err != nil {
			return nil, fmt.Errorf("the working directory: %w", err)
		}
	}
	return a, nil
}

// unfinished returns the tasks without a table. A table appears whole, once all points of its share have run.
func unfinished(a *study.Array, tasks []int) (left []int) {
	for _, t := range tasks {
		if _, err := os.Stat(a.Table(t)); err != nil {
			left = append(left, t)
		}
	}
	return left
}

// writeText writes a file whole or not at all.
func writeText(path, text string) error {
	return files.Write(path, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
}

// runTasks submits tasks, and waits until none of them is in the queue.
func (o *slurmOptions) runTasks(cmd *cobra.Command, a *study.Array, tasks []int, attempt int) error {
	ctx := cmd.Context()
	script := filepath.Join(a.Folder, fmt.Sprintf("submit-%d.sh", attempt))
	text, err := a.Script(tasks)
	if err != nil {
		return err
	}
	if err := writeText(script, text); err != nil {
		return fmt.Errorf("write the script for sbatch: %w", err)
	}
	out, err := slurmCommand(ctx, "sbatch", "--parsable", script)
	if err != nil {
		return err
	}
	job, _, _ := strings.Cut(strings.TrimSpace(out), ";")
	if err := keepJob(a, job); err != nil {
		return fmt.Errorf("job %s was submitted, and its number cannot be kept: %w", job, err)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "job %s: %d tasks\n", job, len(tasks))
	return o.wait(ctx, job)
}

// keepJob records which job runs an array's tasks.
func keepJob(a *study.Array, job string) error {
	key, err := arrayKey(a)
	if err != nil {
		return err
	}
	return files.Write(jobFile(a), func(w io.Writer) error { _, err := fmt.Fprintln(w, job, key); return err })
}

// jobFile returns the file with the number of the array's last job, and the array's key.
func jobFile(a *study.Array) string { return filepath.Join(a.Folder, "job") }

// arrayKey identifies an array's study, its division into shares and the program. Tables of tasks with another key cannot be used.
func arrayKey(a *study.Array) (string, error) {
	text, err := files.Read(a.Study, 1<<20)
	if err != nil {
		return "", fmt.Errorf("read the study: %w", err)
	}
	build, err := ownHash()
	if err != nil {
		return "", err
	}
	return store.Fingerprint(text, build, []byte(strconv.Itoa(a.Tasks))), nil
}

// pendingTasks returns the tasks that have to run. If a job of an earlier command is still in the queue, it waits for it, so that nothing
// runs twice.
func (o *slurmOptions) pendingTasks(cmd *cobra.Command, a *study.Array, all []int) (left []int, err error) {
	key, err := arrayKey(a)
	if err != nil {
		return nil, err
	}
	text, err := files.Read(jobFile(a), 1<<10)
	if err != nil {
		return all, nil // nothing was submitted from this folder
	}
	var job, earlier string
	if _, err := fmt.Sscan(string(text), &job, &earlier); err != nil {
		return nil, fmt.Errorf("%s does not say a job: delete it if none of this study is in the queue", jobFile(a))
	}
	queued := 0
	if job != launched {
		queued, err = queuedTasks(cmd.Context(), job)
	}
	switch {
	case err != nil:
		return nil, runFailure{err}
	case queued > 0 && earlier != key:
		return nil, fmt.Errorf("job %s in %s is still in the queue, with another study, program or number of tasks: scancel %s ends it, "+
			"--folder names another folder", job, a.Folder, job)
	case queued > 0:
		fmt.Fprintf(cmd.ErrOrStderr(), "job %s of an earlier command has %d tasks in the queue; waiting for them\n", job, queued)
		if err := o.wait(cmd.Context(), job); err != nil {
			return nil, runFailure{err}
		}
	case earlier != key: // the existing tables are of other shares
		for _, task := range all {
			if err := os.Remove(a.Table(task)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, runFailure{fmt.Errorf("a table of an earlier study: %w", err)}
			}
		}
	}
	return unfinished(a, all), nil
}

// queuedTasks returns how many tasks of a job are queued or running.
func queuedTasks(ctx context.Context, job string) (int, error) {
	queued, err := slurmCommand(ctx, "squeue", "--noheader", "--array", "--jobs="+job, "--format=%K")
	if err != nil && strings.Contains(err.Error(), "Invalid job id") {
		return 0, nil // Slurm no longer knows the job
	}
	return len(strings.Fields(queued)), err
}

// wait waits until no task of a job is in the queue.
func (o *slurmOptions) wait(ctx context.Context, job string) error {
	for {
		select {
		case <-ctx.Done():
			return fmt.Errorf("stopped waiting: job %s goes on (scancel %s ends it), and the same command takes what its tasks have "+
				"written: %w", job,
				job, ctx.Err())
		case <-time.After(o.poll):
		}
		if queued, err := queuedTasks(ctx, job); ctx.Err() == nil && (err != nil || queued == 0) {
			return err
		}
	}
}

// slurmCommand runs a command of Slurm and returns its output.
func slurmCommand(ctx context.Context, name string, arguments ...string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf(
			"there is no %s on PATH: --slurm needs Slurm's commands; --dry-run prints the script for another machine", name,
		)
	}
	var out, messages strings.Builder
	call := command.Tool(ctx, path, arguments...)
	call.Stdout, call.Stderr = &out, &messages
	if err := call.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(messages.String()))
	}
	return out.String(), nil
}

// numbers formats a list for people.
func numbers(list []int) string {
	var parts []string
	for _, n := range list {
		parts = append(parts, strconv.Itoa(n))
	}
	return strings.Join(parts, ", ")
}
