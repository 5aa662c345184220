// Package exercise has the kernels that readers of the lab's lessons run, the tasks on them, and the grading of answers. It does not read
// lessons, so that a browser can grade without a Markdown parser.
package exercise

// Language is the language of a kernel.
type Language string

// The languages of cells and answers, as in the info line of their block.
const (
	PTX  Language = "ptx"
	CUDA Language = "cuda"
	// Scheduler is an expression by which the warp schedulers pick; the cell's kernel is then fixed.
	Scheduler Language = "scheduler"
)

// Code is a kernel's text.
type Code struct {
	Language Language `json:"language"`
	Text     string   `json:"text"`
	// PTX is what the text was compiled to when the lesson was made; "" if it was not compiled. For PTX and for a scheduler it is the text
	// itself.
	PTX string `json:"ptx,omitempty"`
	// Line is the lesson's line with the text's first line.
	Line int `json:"-"`
}

// Cell is a kernel that the reader runs.
type Cell struct {
	Name string `json:"name"`
	Code
	// Fixed is the kernel that runs if the cell's text is a scheduler; nil otherwise.
	Fixed *Code `json:"fixed,omitempty"`
	// Workload is the workload file's text; its module is kernel.ptx.
	Workload string `json:"workload"`
}

// Kernel returns the code that the GPU runs: the cell's own text, or the fixed kernel if the text is a scheduler.
func (c *Cell) Kernel() *Code {
	if c.Fixed != nil {
		return c.Fixed
	}
	return &c.Code
}

// Bound is a limit on a metric of an answer's launch.
type Bound struct {
	// Metric is a name of keplersim metrics or of stats.CycleCounts, or DeviceTime or Energy.
	Metric string `json:"metric" yaml:"metric"`
	// Kernel is the kernel that the bound is on, "" for the exercise's.
	Kernel string   `json:"kernel,omitempty" yaml:"kernel"`
	Below  *float64 `json:"below,omitempty" yaml:"below"`
	Above  *float64 `json:"above,omitempty" yaml:"above"`
}

// Exercise is a task on a cell, with the checks on answers.
type Exercise struct {
	Name string `json:"name" yaml:"-"`
	Cell string `json:"cell" yaml:"cell"`
	Task string `json:"task" yaml:"task"` // Markdown
	// Kernel is the kernel to measure; "" takes the longest launch.
	Kernel string `json:"kernel,omitempty" yaml:"kernel"`
	// Races also asks that the checks find nothing. Every answer has to give right results.
	Races  bool    `json:"races,omitempty" yaml:"races"`
	Bounds []Bound `json:"bounds,omitempty" yaml:"bounds"`
	// Points are what a right answer is worth; 0 means DefaultPoints.
	Points int      `json:"points,omitempty" yaml:"points"`
	Hints  []string `json:"hints,omitempty" yaml:"hints"` // Markdown
	Answer Code     `json:"answer" yaml:"-"`
	Wrong  Code     `json:"-" yaml:"-"`
	// Line is the lesson's line with the task.
	Line int `json:"-" yaml:"-"`
}
