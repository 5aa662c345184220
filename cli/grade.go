package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/code/sources"
	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/lab"
	"github.com/keplersim/keplersim/lab/engine"
	"github.com/keplersim/keplersim/lab/exercise"
	"github.com/keplersim/keplersim/lab/lessons"
	"github.com/keplersim/keplersim/toolchain"
)

// newGradeCommand grades an answer to an exercise.
func newGradeCommand() *cobra.Command {
	var name, format string
	limits := engine.Limits{Code: 1 << 20}
	var memory uint64
	cmd := &cobra.Command{
		Use: "grade LESSON ANSWER",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return errors.New("grade takes a lesson and an answer")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := exercise.CheckFormat(format); err != nil {
				return err
			}
			if limits.Time <= 0 {
				return errors.New("--time is how long an answer may take, as in 30s")
			}
			limits.Memory = memory << 20
			lesson, err := lessonOf(args[0])
			if err != nil {
				return err
			}
			e, err := lesson.Exercise(name)
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), limits.Time)
			defer cancel()
			ptx, failed, err := answerOf(ctx, args[1], lesson.Cell(e.Cell).Language)
			if err != nil {
				return err
			}
			g := e.Refuse(failed)
			if failed == "" {
				if g, err = e.Grade(ctx, lesson.Cell(e.Cell), ptx, limits); err != nil {
					return runFailure{err}
				}
			}
			return printGrade(cmd, g, format)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&name, "exercise", "", "the exercise, where the lesson has several (`NAME`)")
	flags.StringVar(&format, "format", "text", "one of "+strings.Join(exercise.Formats(), ", "))
	flags.DurationVar(&limits.Time, "time", time.Minute,
		"the most `TIME` of the host that an answer may take, from compiling to the last check")
	flags.Int64Var(&limits.Cycles, "max-cycles", 50_000_000, "the most simulated cycles that a launch may take")
	flags.Uint64Var(&memory, "memory", 1024, "the most MiB of device memory: buffers, variables, the heap and local memory")
	return cmd
}

// lessonOf reads a lesson's file, or finds one of the lab's own.
func lessonOf(name string) (*lessons.Lesson, error) {
	if strings.EqualFold(filepath.Ext(name), ".md") {
		return lessons.ReadFile(name)
	}
	all, err := lab.Lessons()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, l := range all {
		if l.Slug == name {
			return l, nil
		}
		names = append(names, l.Slug)
	}
	return nil, fmt.Errorf("%s is not a lesson: name a .md file, or one of %s", name, strings.Join(names, ", "))
}

// mostAnswer bounds a scheduler's text, in bytes.
const mostAnswer = 1 << 16

// answerOf returns an answer as PTX. An answer that does not compile is a wrong answer, not wrong input; failed then says why.
func answerOf(ctx context.Context, name string, language exercise.Language) (ptx, failed string, err error) {
	if _, err := os.Stat(name); err != nil {
		return "", "", fmt.Errorf("read the answer: %w", err)
	}
	if language == exercise.Scheduler {
		text, err := files.Read(name, mostAnswer)
		return string(text), "", err
	}
	r := sources.Reader{Compile: toolchain.Options{Confined: true}}
	p, err := r.PTX(ctx, name, engine.Architecture)
	if compile := engine.CompileError(err); compile != "" {
		return "", compile, nil
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "", "compiling took longer than --time", nil
	}
	return string(p.Source.Text), "", err
}

// printGrade prints a grade. It returns an error if not all checks passed.
func printGrade(cmd *cobra.Command, g *exercise.Grade, format string) error {
	if err := g.Write(cmd.OutOrStdout(), format); err != nil {
		return err
	}
	if g.Passed {
		return nil
	}
	return runFailure{errors.New("the answer does not pass all checks")}
}
