// Package exercise is a kernel that a reader of the lab's lessons runs, a task on it, and the grading of an answer. It knows nothing of
// where a lesson's text comes from, so that a browser can grade without reading Markdown.
package exercise

// Language is what a kernel is written in.
type Language string

// The languages of cells and answers, as the info line of their block says them.
const (
	PTX  Language = "ptx"
	CUDA Language = "cuda"
	// Scheduler is an expression that the warp schedulers pick by: the cell's kernel is fixed.
	Scheduler Language = "scheduler"
)

// Code is a kernel's text.
type Code struct {
	Language Language `json:"language"`
	Text     string   `json:"text"`
	// PTX is what the text was compiled to when the lesson was made; "" where nothing compiled it. Of PTX and of a
	// scheduler it is the text itself.
	PTX string `json:"ptx,omitempty"`
	// Line is where the lesson has the text's first line.
	Line int `json:"-"`
}

// Cell is a kernel that the reader runs.
type Cell struct {
	Name string `json:"name"`
	Code
	// Fixed is the kernel of a cell that a scheduler is written in.
	Fixed *Code `json:"fixed,omitempty"`
	// Workload is the workload file's text; its module is kernel.ptx.
	Workload string `json:"workload"`
}

// Kernel is what the GPU runs: the cell's own text, or the fixed kernel where that is a scheduler.
func (c *Cell) Kernel() *Code {
	if c.Fixed != nil {
		return c.Fixed
	}
	return &c.Code
}

// Bound is a limit on a metric of an answer's launch.
type Bound struct {
	// Metric is a name of keplersim metrics or of stats.CycleCounts, or DeviceTime.
	Metric string `json:"metric" yaml:"metric"`
	// Kernel is the one that the bound is on, "" for the exercise's.
	Kernel string   `json:"kernel,omitempty" yaml:"kernel"`
	Below  *float64 `json:"below,omitempty" yaml:"below"`
	Above  *float64 `json:"above,omitempty" yaml:"above"`
}

// Exercise is a task on a cell, with what its answers are held to.
type Exercise struct {
	Name string `json:"name" yaml:"-"`
	Cell string `json:"cell" yaml:"cell"`
	Task string `json:"task" yaml:"task"` // Markdown
	// Kernel is the one that is measured; "" is the longest launch.
	Kernel string `json:"kernel,omitempty" yaml:"kernel"`
	// Races asks for an answer without findings of the checks. That the results are right is asked of every answer.
	Races  bool    `json:"races,omitempty" yaml:"races"`
	Bounds []Bound `json:"bounds,omitempty" yaml:"bounds"`
	// Points are what a right answer is worth, DefaultPoints for 0.
	Points int      `json:"points,omitempty" yaml:"points"`
	Hints  []string `json:"hints,omitempty" yaml:"hints"` // Markdown
	Answer Code     `json:"answer" yaml:"-"`
	Wrong  Code     `json:"-" yaml:"-"`
	// Line is where the lesson has the task.
	Line int `json:"-" yaml:"-"`
}
