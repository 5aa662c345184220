package debug

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/isa"
)

// command is a command of the console.
type command struct {
	names []string
	usage string
	help  string
	do    func(c *Console, ctx context.Context, rest string) error
}

// commands are in the order of the help text. init fills them in, as help itself lists them.
var commands []command

func init() {
	commands = []command{
		{[]string{"break", "b"}, "break [KERNEL | LINE | FILE:LINE] [block X,Y,Z] [warp N] [cycle N] [if CONDITION]",
			"stop there: where all that is said is so; a kernel, block or warp alone means its beginning", (*Console).breakAt},
		{[]string{"watch"}, "watch [reads] SPACE ADDRESS [BYTES] | VARIABLE [if CONDITION]",
			"stop after writes (or all accesses) of global, shared or local memory: watch global y+16 64, watch tile[3]",
			(*Console).watch},
		{[]string{"hazard"}, "hazard", "stop after the first mistake that the checks find; before start", (*Console).hazard},
		{[]string{"delete"}, "delete [N]", "remove a breakpoint, or all", (*Console).delete},
		{[]string{"start"}, "start", "run to the first operation, from the beginning", (*Console).start},
		{[]string{"continue", "c", "run", "r"}, "continue", "go on to the next breakpoint", (*Console).continueRun},
		{[]string{"step", "s"}, "step [N]", "go on by a source line of the warp", stepBy(Line)},
		{[]string{"next", "n"}, "next [N]", "go on by a source line of the warp, over calls", stepBy(Over)},
		{[]string{"finish"}, "finish", "go on to where the warp's function, or an inlined one, has returned", stepBy(Out)},
		{[]string{"stepi", "si"}, "stepi [N]", "go on by an operation of the warp", stepBy(Instruction)},
		{[]string{"stepc", "sc"}, "stepc [N]", "go on to the next cycle in which something issues", stepBy(Cycle)},
		{[]string{"stepw", "sw"}, "stepw [N]", "go on to the next operation of another warp", stepBy(OtherWarp)},
		{[]string{"back"}, "back [line|instruction|cycle|warp|breakpoint] [N]", "go back by so much; an instruction without a word",
			(*Console).back},
		{[]string{"goto"}, "goto N", "go to the operation of a number, as stops show it, back or on", (*Console).gotoNumber},
		{[]string{"lane"}, "lane N", "show values of this lane", (*Console).chooseLane},
		{[]string{"print", "p"}, "print EXPRESSION",
			"a value in the lane: sum, p.x, in[i+1], *next, &tile[3], R5, D4 (a pair), P0, tid.x, shared[4*lane], u8(global[y+3]), $lane",
			(*Console).print},
		{[]string{"lanes"}, "lanes EXPRESSION", "a value in all active lanes of the warp: lanes sum", (*Console).lanes},
		{[]string{"locals"}, "locals", "parameters and variables of the function in the lane, and of those it was inlined in",
			(*Console).locals},
		{[]string{"globals"}, "globals", "variables outside functions", (*Console).globals},
		{[]string{"frame"}, "frame N", "look at the variables of the N-th caller; 0 is the function that runs", (*Console).chooseFrame},
		{[]string{"registers"}, "registers", "all registers and predicates of the lane", (*Console).registers},
		{[]string{"memory", "x"}, "memory SPACE ADDRESS [BYTES]", "bytes of global, shared or local memory", (*Console).memory},
		{[]string{"where", "bt"}, "where", "where the warp is, with its calls", (*Console).where},
		{[]string{"paths"}, "paths", "the warp's divergence stack", (*Console).paths},
		{[]string{"warps"}, "warps", "the warps of the block", (*Console).warps},
		{[]string{"scoreboard"}, "scoreboard", "what the warp's registers wait for, with timing", (*Console).scoreboard},
		{[]string{"requests"}, "requests", "requests to L2 in flight, with timing", (*Console).requests},
		{[]string{"list", "l"}, "list", "the source around the line", (*Console).list},
		{[]string{"breakpoints"}, "breakpoints", "all breakpoints, and how often they stopped", (*Console).breakpoints},
		{[]string{"source"}, "source FILE", "carry the commands of a file out", (*Console).source},
		{[]string{"help", "h"}, "help", "this list", (*Console).help},
		{[]string{"quit", "q"}, "quit", "end", func(*Console, context.Context, string) error { return ErrQuit }},
	}
}

// ErrQuit is returned by the command that ends a console.
var ErrQuit = errors.New("quit")

// Console drives a session by text commands.
type Console struct {
	*Session
	out  io.Writer
	last string // the last command, which an empty line repeats
}

// NewConsole returns a console for a session that writes to out.
func NewConsole(s *Session, out io.Writer) *Console { return &Console{Session: s, out: out} }

// Run executes commands, one a line, until quit or the end; # starts a comment. prompt is written before each command. With echo, commands
// are written too, as in a transcript. With strict, the first error ends it.
func (c *Console) Run(ctx context.Context, in io.Reader, prompt string, echo, strict bool) error {
	lines := bufio.NewScanner(in)
	for {
		fmt.Fprint(c.out, prompt)
		if !lines.Scan() {
			return lines.Err()
		}
		text := strings.TrimSpace(lines.Text())
		if echo && text != "" {
			fmt.Fprintln(c.out, "> "+text)
		}
		switch err := c.Do(ctx, text); {
		case errors.Is(err, ErrQuit):
			return nil
		case err != nil && strict:
			return fmt.Errorf("%s: %w", text, err)
		case err != nil:
			fmt.Fprintln(c.out, "error:", err)
		}
	}
}

// Do executes a command.
func (c *Console) Do(ctx context.Context, text string) error {
	text, _, _ = strings.Cut(text, "#")
	if text = strings.TrimSpace(text); text == "" {
		text = c.last
	}
	if text == "" {
		return nil
	}
	c.last = text
	word, rest, _ := strings.Cut(text, " ")
	for i := range commands {
		if slices.Contains(commands[i].names, word) {
			return commands[i].do(c, ctx, strings.TrimSpace(rest))
		}
	}
	return fmt.Errorf("there is no command %q; help lists them", word)
}

func (c *Console) help(context.Context, string) error {
	for i := range commands {
		k := &commands[i]
		short := ""
		if len(k.names) > 1 {
			short = " (" + strings.Join(k.names[1:], ", ") + ")"
		}
		fmt.Fprintf(c.out, "%s%s\n    %s\n", k.usage, short, k.help)
	}
	return nil
}

// usageColumns is the widest usage text that leaves room for the help on the same line.
const usageColumns = 42

// Usage lists the commands for help texts, one a line.
func Usage() string {
	var b strings.Builder
	for i := range commands {
		usage := commands[i].usage
		if len(usage) > usageColumns {
			fmt.Fprintf(&b, "  %s\n", usage)
			usage = ""
		}
		fmt.Fprintf(&b, "  %-*s %s\n", usageColumns, usage, commands[i].help)
	}
	return b.String()
}

// breakAt adds a breakpoint.
func (c *Console) breakAt(_ context.Context, rest string) error {
	b, err := ParseBreakpoint(rest)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "breakpoint %d: %s\n", c.Add(b).Number, b)
	return nil
}

// watch adds a watchpoint.
func (c *Console) watch(_ context.Context, rest string) error {
	rest, condition, conditional := strings.Cut(rest, " if ")
	words := strings.Fields(rest)
	w := &Watch{Bytes: 4}
	if len(words) > 0 && words[0] == "reads" {
		w.Reads, words = true, words[1:]
	}
	if err := c.watched(w, words); err != nil {
		return err
	}
	b := &Breakpoint{Watch: w}
	if conditional {
		var err error
		if b.Condition, err = ParseExpression(condition); err != nil {
			return err
		}
	}
	fmt.Fprintf(c.out, "breakpoint %d: %s\n", c.Add(b).Number, b)
	return nil
}

// watched reads a watchpoint's memory: SPACE ADDRESS [BYTES], or a variable of the source.
func (c *Console) watched(w *Watch, words []string) (err error) {
	if len(words) > 0 && spaces[words[0]] == isa.SpaceNone && c.run != nil {
		v, _, err := c.value(strings.Join(words, " "))
		switch {
		case err != nil:
			return err
		case v.at == nil || spaces[v.at.space.String()] == isa.SpaceNone || v.typ.Bytes == 0:
			return fmt.Errorf("%s is not in memory that can be watched", strings.Join(words, " "))
		}
		w.Space, w.Address, w.Bytes = v.at.space, v.at.address, uint64(v.typ.Bytes)
		return nil
	}
	if len(words) < 2 || spaces[words[0]] == isa.SpaceNone {
		return errors.New("watch SPACE ADDRESS [BYTES], as in watch global y+16 or watch shared 0 64")
	}
	w.Space = spaces[words[0]]
	if w.Address, err = c.evaluate(words[1]); err != nil {
		return err
	}
	if len(words) > 2 {
		w.Bytes, err = strconv.ParseUint(words[2], 0, 64)
	}
	return err
}

func (c *Console) hazard(context.Context, string) error {
	if c.run != nil {
		return errors.New("hazard comes before start: the checks watch a run from its beginning")
	}
	fmt.Fprintf(c.out, "breakpoint %d: the first hazard\n", c.Add(&Breakpoint{Hazard: true}).Number)
	return nil
}

func (c *Console) delete(_ context.Context, rest string) error {
	if rest == "" {
		c.Breakpoints = nil
		return nil
	}
	n, err := strconv.Atoi(rest)
	if err != nil || !c.Remove(n) {
		return fmt.Errorf("there is no breakpoint %s", rest)
	}
	return nil
}

func (c *Console) breakpoints(context.Context, string) error {
	for _, b := range c.Breakpoints {
		fmt.Fprintf(c.out, "%d: %s (hit %d times)\n", b.Number, b, b.Hits)
	}
	for _, note := range c.BreakpointWarnings() {
		fmt.Fprintln(c.out, note)
	}
	return nil
}

func (c *Console) start(ctx context.Context, _ string) error {
	_, err := c.Start(ctx)
	return c.printStop(err)
}

func (c *Console) continueRun(ctx context.Context, _ string) error {
	_, err := c.Continue(ctx)
	return c.printStop(err)
}

// times reads a command's repeat count.
func times(rest string) (int, error) {
	if rest == "" {
		return 1, nil
	}
	n, err := strconv.Atoi(rest)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is not a number of 1 or more", rest)
	}
	return n, nil
}

func stepBy(unit Unit) func(*Console, context.Context, string) error {
	return func(c *Console, ctx context.Context, rest string) error {
		n, err := times(rest)
		if err != nil {
			return err
		}
		_, err = c.Step(ctx, unit, n)
		return c.printStop(err)
	}
}

func (c *Console) back(ctx context.Context, rest string) error {
	word, count, _ := strings.Cut(rest, " ")
	unit := Unit(word)
	if _, err := strconv.Atoi(word); err == nil || word == "" {
		unit, count = Instruction, word
	}
	if word == "breakpoint" {
		_, err := c.BackToBreakpoint(ctx)
		return c.printStop(err)
	}
	switch unit {
	case Instruction, Line, Cycle, OtherWarp:
	default:
		return fmt.Errorf("back by what? line, instruction, cycle, warp or breakpoint, not %q", word)
	}
	n, err := times(strings.TrimSpace(count))
	if err != nil {
		return err
	}
	_, err = c.Back(ctx, unit, n)
	return c.printStop(err)
}

func (c *Console) gotoNumber(ctx context.Context, rest string) error {
	n, err := strconv.ParseUint(rest, 10, 64)
	if err != nil || n == 0 {
		return fmt.Errorf("%q is not the number of an operation", rest)
	}
	_, err = c.Goto(ctx, n)
	return c.printStop(err)
}

func (c *Console) chooseLane(_ context.Context, rest string) error {
	n, err := strconv.Atoi(rest)
	if err != nil || n < 0 || n > 31 {
		return errors.New("a lane is a number from 0 to 31")
	}
	c.lane = n
	return nil
}

// printStop prints where the run stopped, or returns an error.
func (c *Console) printStop(err error) error {
	if err != nil {
		return err
	}
	fmt.Fprintln(c.out, c.stop.String())
	if c.Ended() {
		for _, note := range c.BreakpointWarnings() {
			fmt.Fprintln(c.out, note)
		}
	}
	return nil
}

func (c *Console) source(ctx context.Context, rest string) error {
	file, err := os.Open(rest)
	if err != nil {
		return err
	}
	defer file.Close()
	return c.Run(ctx, file, "", true, true)
}
