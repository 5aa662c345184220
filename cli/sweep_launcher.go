package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/internal/command"
	"github.com/keplersim/keplersim/study"
)

// launched takes the place of a job number if there is no queue.
const launched = "launched"

// perTask reports whether a launcher is started for each task, and not once for all.
func (o *slurmOptions) perTask() bool {
	for _, place := range []string{"{shard}", "{task}", "{script}"} {
		if strings.Contains(o.launcher, place) {
			return true
		}
	}
	return false
}

// preview returns what a command would start: the script for sbatch, or the launcher's commands.
func (o *slurmOptions) preview(a *study.Array, tasks []int) (string, error) {
	if o.launcher == "" {
		return a.Script(tasks)
	}
	if _, err := a.TaskScript(1); err != nil {
		return "", err
	}
	if !o.perTask() {
		return a.Launch(o.launcher, 1) + "\n", nil
	}
	var b strings.Builder
	for _, t := range tasks {
		b.WriteString(a.Launch(o.launcher, t) + "\n")
	}
	return b.String(), nil
}

// launchTasks makes the launcher run tasks, and waits for its end. A task succeeded if its table exists, whatever the launcher says.
func (o *slurmOptions) launchTasks(cmd *cobra.Command, a *study.Array, tasks []int, _ int) error {
	var scripts strings.Builder
	for _, t := range tasks {
		text, err := a.TaskScript(t)
		if err != nil {
			return err
		}
		if err := writeText(a.TaskFile(t), text); err != nil {
			return fmt.Errorf("write the script of a task: %w", err)
		}
		scripts.WriteString(a.TaskFile(t) + "\n")
	}
	if err := keepJob(a, launched); err != nil {
		return err
	}
	if !o.perTask() {
		return o.launch(cmd.Context(), a, tasks[0], scripts.String())
	}
	var wait sync.WaitGroup
	failures := make([]error, len(tasks))
	for i, t := range tasks {
		wait.Go(func() { failures[i] = o.launch(cmd.Context(), a, t, "") })
	}
	wait.Wait()
	return cmp.Or(failures...)
}

// launch runs a launcher's command, with its output in a task's log. It fails if the command cannot be started or is interrupted. If the
// command itself fails, its task has not ended.
func (o *slurmOptions) launch(ctx context.Context, a *study.Array, task int, input string) error {
	call := command.Tool(ctx, "/bin/sh", "-c", "exec >>"+command.Quote(a.Log(task))+" 2>&1\n"+a.Launch(o.launcher, task))
	call.Stdin = strings.NewReader(input)
	if err := call.Start(); err != nil {
		return fmt.Errorf("--launcher: %w", err)
	}
	_ = call.Wait() // the table's existence shows the result
	if ctx.Err() != nil {
		return fmt.Errorf("stopped; what tasks have written is kept, and the same command goes on from here: %w", ctx.Err())
	}
	return nil
}
