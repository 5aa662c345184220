package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/keplersim/keplersim/sim"
)

// progress draws a launch's progress on a terminal.
type progress struct {
	out     io.Writer // nil if nothing is drawn
	bar     *progressbar.ProgressBar
	kernel  string
	started time.Time
	before  uint64 // blocks done at the last drawing; a smaller number means another launch
}

// newProgress draws to w if it is a terminal.
func newProgress(w io.Writer) *progress {
	if _, ok := terminalOf(w); !ok {
		return &progress{}
	}
	return &progress{out: w}
}

// show returns the simulator's callback, nil if nothing is drawn.
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
	_ = p.bar.Set64(int64(s.BlocksDone)) // a drawing error is no reason to stop
}

// tooShort is the time below which a speed means nothing.
const tooShort = 100 * time.Millisecond

// describeProgress returns the text before the bar: the kernel, the host's elapsed and remaining time, the speed, the simulated time.
func describeProgress(s sim.Progress, took time.Duration) string {
	speed := ""
	if took >= tooShort {
		speed = fmt.Sprintf(", %.2f M warp instructions/s", float64(s.WarpInstructions)/took.Seconds()/1e6)
	}
	return fmt.Sprintf("%s: %s%s, %d cycles, blocks", s.Title, times(took, s.Part()), speed, s.Cycles)
}

// times returns the host's elapsed and remaining time after a part of the work: "12s elapsed, about 30s left".
func times(took time.Duration, part float64) string {
	text := took.Round(time.Second).String() + " elapsed"
	if part > 0 && took >= tooShort {
		left := time.Duration(float64(took) * (1 - part) / part)
		text += ", about " + left.Round(time.Second).String() + " left"
	}
	return text
}

// clear removes the bar from the screen until it is next drawn.
func (p *progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

// close removes the bar.
func (p *progress) close() {
	if p.bar != nil {
		_ = p.bar.Finish()
		p.bar = nil
	}
}
