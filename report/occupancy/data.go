package occupancy

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/internal/jsonschema"
	smx "github.com/keplersim/keplersim/sim/smx/occupancy"
)

func init() {
	jsonschema.Publish[jsonStudy]("occupancy", "How many warps fit on an SMX, as keplersim occupancy --format json writes it.", 2)
}

// jsonPoint is a point as JSON.
type jsonPoint struct {
	Config             string          `json:"config"`
	Capability         string          `json:"compute_capability"`
	Block              int             `json:"block"`
	Registers          int             `json:"registers"`
	Shared             int             `json:"shared"`
	CacheConfig        string          `json:"cache_config"`
	ActiveBlocks       int             `json:"active_blocks"`
	ActiveWarps        int             `json:"active_warps"`
	Occupancy          float64         `json:"occupancy"`
	Limits             map[string]*int `json:"limits"` // blocks; null if the launch does not use a resource
	Limiters           []string        `json:"limiters"`
	AllocatedRegisters int             `json:"allocated_registers"`
	AllocatedShared    int             `json:"allocated_shared"`
	SharedPerSMX       int             `json:"shared_per_smx"`
	Wasted             jsonWaste       `json:"wasted"`
}

type jsonWaste struct {
	Warps            int `json:"warps"`
	Blocks           int `json:"blocks"`
	Registers        int `json:"registers"`
	Shared           int `json:"shared"`
	RoundedRegisters int `json:"rounded_registers"`
	RoundedShared    int `json:"rounded_shared"`
	Lanes            int `json:"lanes"`
}

// jsonChange is a piece of advice as JSON.
type jsonChange struct {
	Config string    `json:"config"`
	Change string    `json:"change"`
	Point  jsonPoint `json:"point"`
}

type jsonStudy struct {
	Kernel    string       `json:"kernel,omitempty"`
	Overrides []string     `json:"overrides,omitempty"` // of the chips' configurations, each KEY=VALUE
	Axes      []jsonAxis   `json:"axes,omitempty"`
	Points    []jsonPoint  `json:"points"`
	Advice    []jsonChange `json:"advice,omitempty"`
	Best      []jsonPoint  `json:"best,omitempty"`
}

type jsonAxis struct {
	Name   string `json:"name"`
	Values []int  `json:"values"`
}

func toJSON(p Point) jsonPoint {
	limits := map[string]*int{}
	for _, r := range smx.Resources() {
		limits[r.String()] = nil
		if blocks := p.Result.Limit[r]; blocks != smx.Unlimited {
			limits[r.String()] = &blocks
		}
	}
	return jsonPoint{
		Config: p.Limits.Name, Capability: p.Limits.Capability,
		Block: p.Launch.Threads, Registers: p.Launch.Registers, Shared: p.Launch.Shared, CacheConfig: p.Launch.Cache.String(),
		ActiveBlocks: p.Result.Blocks, ActiveWarps: p.Result.Warps, Occupancy: p.Result.Occupancy,
		Limits: limits, Limiters: p.Result.Limiters.Names(),
		AllocatedRegisters: p.Result.AllocatedRegisters, AllocatedShared: p.Result.AllocatedShared, SharedPerSMX: p.Result.SharedPerSMX,
		Wasted: jsonWaste(p.Result.Wasted),
	}
}

// WriteJSON writes the study: points[], and for a single launch also advice[] and best[]. A resource that a block does not use allows
// 2,147,483,647 blocks, as in NVIDIA's code.
func (s *Study) WriteJSON(w io.Writer) error {
	out := jsonStudy{Kernel: s.Kernel, Overrides: s.Overrides, Points: []jsonPoint{}}
	for _, a := range s.Axes {
		out.Axes = append(out.Axes, jsonAxis(a))
	}
	if len(s.Axes) == 0 {
		for _, p := range s.Points {
			for _, c := range p.Limits.Advise(p.Launch) {
				out.Advice = append(out.Advice, jsonChange{
					p.Limits.Name, c.Kind.String(), toJSON(Point{Limits: p.Limits, Launch: c.Launch, Result: c.Result}),
				})
			}
			best, result := p.Limits.Best(p.Launch, nil)
			out.Best = append(out.Best, toJSON(Point{Limits: p.Limits, Launch: best, Result: result}))
		}
	}
	if err := s.writeJSON(w, out); err != nil {
		return fmt.Errorf("occupancy as JSON: %w", err)
	}
	return nil
}

// writeJSON writes a study. It streams the points, because there may be a million.
func (s *Study) writeJSON(w io.Writer, study jsonStudy) error {
	text, err := json.MarshalIndent(study, "", "  ")
	if err != nil {
		return err
	}
	const place = "\n  \"points\": [" // occurs once at this indentation
	before, after, found := bytes.Cut(text, []byte(place))
	if !found {
		return fmt.Errorf("no %q in %s", place, text)
	}
	out := bufio.NewWriter(w)
	out.Write(before)
	out.WriteString(place)
	for i, p := range s.Points {
		point, err := json.MarshalIndent(toJSON(p), "    ", "  ")
		if err != nil {
			return err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n    ")
		out.Write(point)
	}
	if len(s.Points) > 0 {
		out.WriteString("\n  ")
	}
	out.Write(after)
	out.WriteByte('\n')
	return out.Flush()
}

// WriteCSV writes a head line and a line for each point. Limiters are joined by +.
func (s *Study) WriteCSV(w io.Writer) error {
	header := []string{"config", "compute_capability", "block", "registers", "shared", "cache_config", "active_blocks", "active_warps",
		"occupancy",
		"limit_warps", "limit_registers", "limit_shared", "limit_blocks", "limiters", "allocated_registers", "allocated_shared",
		"overrides"}
	out := csv.NewWriter(w)
	if err := out.Write(header); err != nil {
		return fmt.Errorf("occupancy as CSV: %w", err)
	}
	for _, p := range s.Points {
		r := p.Result
		row := []string{p.Limits.Name, p.Limits.Capability, strconv.Itoa(p.Launch.Threads), strconv.Itoa(p.Launch.Registers),
			strconv.Itoa(p.Launch.Shared),
			p.Launch.Cache.String(), strconv.Itoa(r.Blocks), strconv.Itoa(r.Warps), strconv.FormatFloat(r.Occupancy, 'g', -1, 64)}
		for _, resource := range smx.Resources() {
			limit := "" // no limit
			if r.Limit[resource] != smx.Unlimited {
				limit = strconv.Itoa(r.Limit[resource])
			}
			row = append(row, limit)
		}
		row = append(row, strings.Join(r.Limiters.Names(), "+"), strconv.Itoa(r.AllocatedRegisters), strconv.Itoa(r.AllocatedShared),
			strings.Join(s.Overrides, " "))
		if err := out.Write(row); err != nil {
			return fmt.Errorf("occupancy as CSV: %w", err)
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("occupancy as CSV: %w", err)
	}
	return nil
}
