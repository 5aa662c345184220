package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/keplersim/keplersim/sim"
)

// progress draws how far a launch has come, on a terminal alone.
type progress struct {
	out     io.Writer // nil where nothing is drawn
	bar     *progressbar.ProgressBar
	kernel  string
	started time.Time
	before  uint64 // blocks done when the bar was drawn last: fewer now means another launch
}

// newProgress draws to w if it is a terminal.
func newProgress(w io.Writer) *progress {
	if _, ok := terminalOf(w); !ok {
		return &progress{}
	}
	return &progress{out: w}
}

// show returns what the simulator calls; nil where nothing is drawn.
func (p *progress) show() func(sim.Progress) {
	if p.out == nil {
		return nil
	}
	return p.draw
}

func (p *progress) draw(s sim.Progress) {
	if p.bar == nil || p.kernel != s.Kernel || s.BlocksDone < p.before {
		p.close()
		p.kernel, p.started = s.Kernel, time.Now()
		p.bar = progressbar.NewOptions64(int64(s.BlocksTotal), progressbar.OptionSetWriter(p.out), progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetElapsedTime(false), progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionFullWidth())
	}
	p.before = s.BlocksDone
	p.bar.Describe(describeProgress(s, time.Since(p.started)))
	_ = p.bar.Set64(int64(s.BlocksDone)) // a bar that cannot be drawn stops nothing
}

// tooShort is the time in which a speed means nothing yet.
const tooShort = 100 * time.Millisecond

// describeProgress returns the text before the bar: the kernel, the host's time that it took and may still take, the speed, the simulated
// time.
func describeProgress(s sim.Progress, took time.Duration) string {
	speed := ""
	if took >= tooShort {
		speed = fmt.Sprintf(", %.2f M warp instructions/s", float64(s.WarpInstructions)/took.Seconds()/1e6)
	}
	return fmt.Sprintf("%s: %s%s, %d cycles, blocks", s.Title, times(took, s.Part()), speed, s.Cycles)
}

// times returns what a bar says of the host's time, when a part of the work is done: "12s elapsed, about 30s left".
func times(took time.Duration, part float64) string {
	text := took.Round(time.Second).String() + " elapsed"
	if part > 0 && took >= tooShort {
		left := time.Duration(float64(took) * (1 - part) / part)
		text += ", about " + left.Round(time.Second).String() + " left"
	}
	return text
}

// clear takes the bar off the screen until it is drawn again.
func (p *progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

// close takes the bar away.
func (p *progress) close() {
	if p.bar != nil {
		_ = p.bar.Finish()
		p.bar = nil
	}
}
