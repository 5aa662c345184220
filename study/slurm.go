package study

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/keplersim/keplersim/internal/command"
)

// Array is a study as a job array of Slurm or another launcher. Each task runs one shard and has its own store and table.
type Array struct {
	// Name is the job's name, Program the keplersim to run, Study the study's file; both are absolute paths.
	Name, Program, Study string
	// Folder is where the tasks' tables, stores and logs go. All nodes must share it.
	Folder string
	// Tasks is the number of tasks, Jobs how many points a task runs at the same time.
	Tasks, Jobs int
	// From are further stores that tasks read results from.
	From []string
	// Options are further lines for sbatch, as in --time=2:00:00.
	Options []string
}

// Table returns the file of a task's table. Tasks are numbered from 1.
func (a *Array) Table(task int) string {
	return filepath.Join(a.Folder, fmt.Sprintf("part-%d.csv", task))
}

// Results returns the folder of a task's store.
func (a *Array) Results(task int) string {
	return filepath.Join(a.Folder, fmt.Sprintf("results-%d", task))
}

// Log returns the file for a task's output.
func (a *Array) Log(task int) string {
	return filepath.Join(a.Folder, fmt.Sprintf("task-%d.log", task))
}

// check returns an error if a name would break out of its line in a script.
func (a *Array) check() error {
	for what, text := range map[string]string{"the study's name": a.Name, "the path of keplersim": a.Program, "the study's path": a.Study,
		"the folder of the tasks": a.Folder} {
		if err := command.CheckLine(what, text); err != nil {
			return err
		}
	}
	for _, text := range slices.Concat(a.From, a.Options) {
		if err := command.CheckLine("--from or --sbatch", text); err != nil {
			return err
		}
	}
	return nil
}

// line returns the shell command that runs a task. task is its number, or a shell expression for it.
func (a *Array) line(task string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "exec %s sweep %s --shard %s/%d --jobs %d \\\n  --store %s%s \\\n  --output %s%s.csv", command.Quote(a.Program),
		command.Quote(command.File(a.Study)), task, a.Tasks, a.Jobs, command.Quote(filepath.Join(a.Folder, "results-")), task,
		command.Quote(filepath.Join(a.Folder, "part-")), task)
	for _, from := range a.From {
		b.WriteString(" \\\n  --from " + command.Quote(from))
	}
	b.WriteString("\n")
	return b.String()
}

// TaskScript returns the script that runs one task. A shell on any machine that has the files can run it.
func (a *Array) TaskScript(task int) (string, error) {
	return "#!/bin/sh\n" + a.line(strconv.Itoa(task)), a.check()
}

// TaskFile returns the file of a task's script.
func (a *Array) TaskFile(task int) string {
	return filepath.Join(a.Folder, fmt.Sprintf("task-%d.sh", task))
}

// Launch fills in a launcher's command line for a task: {shard} becomes I/N, {task} I, {tasks} N, {script} the file that runs the task.
func (a *Array) Launch(launcher string, task int) string {
	return strings.NewReplacer("{shard}", fmt.Sprintf("%d/%d", task, a.Tasks), "{task}", strconv.Itoa(task),
		"{tasks}", strconv.Itoa(a.Tasks), "{script}", command.Quote(a.TaskFile(task))).Replace(launcher)
}

// Script returns the sbatch script for some of the tasks. It fails if a name would break out of its line.
func (a *Array) Script(tasks []int) (string, error) {
	if err := a.check(); err != nil {
		return "", err
	}
	var b strings.Builder
	var numbers []string
	for _, t := range tasks {
		numbers = append(numbers, strconv.Itoa(t))
	}
	list := strings.Join(numbers, ",")
	if len(tasks) == a.Tasks {
		list = fmt.Sprintf("1-%d", a.Tasks)
	}
	log := filepath.Join(strings.ReplaceAll(a.Folder, "%", "%%"), "task-%a.log")
	fmt.Fprintf(&b, "#!/bin/sh\n#SBATCH --job-name=keplersim-%s\n#SBATCH --array=%s\n#SBATCH --cpus-per-task=%d\n#SBATCH --output=%s\n",
		jobName(a.Name), list, a.Jobs, directive(log))
	b.WriteString("#SBATCH --open-mode=append\n")
	for _, o := range a.Options {
		fmt.Fprintf(&b, "#SBATCH %s\n", o)
	}
	b.WriteString(a.line(`"$SLURM_ARRAY_TASK_ID"`))
	return b.String(), nil
}

// directive quotes a word for a #SBATCH line, where quotes and backslashes work and # begins a comment.
func directive(word string) string {
	if !strings.ContainsAny(word, " '\"\\#") {
		return word
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(word) + `"`
}

// jobName replaces all but letters, digits, dots, underscores and dashes.
func jobName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-", r) {
			return r
		}
		return '-'
	}, name)
}
