package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/keplersim/keplersim/sim/stats"
)

// rounded drops meaningless digits: counts are whole, other values have six decimals.
func rounded(v float64, unit stats.Unit) float64 {
	if unit == stats.Count || unit == stats.Cycles {
		return math.Round(v)
	}
	return math.Round(v*1e6) / 1e6
}

// count formats a whole number with commas: 1,234,567.
func count(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	var out strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out.WriteByte(',')
		}
		out.WriteRune(d)
	}
	return out.String()
}

// significant formats a number with three significant digits: 0.0123, 1.23, 12.3, 123, 1,230.
func significant(v float64) string {
	switch a := math.Abs(v); {
	case v == 0:
		return "0"
	case a >= 1000:
		return count(uint64(math.Round(v)))
	case a >= 99.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case a >= 0.9995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case a >= 0.0995:
		return strconv.FormatFloat(v, 'f', 3, 64)
	default:
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
}

// percent formats a part of 1 in percent.
func percent(part float64) string { return fmt.Sprintf("%.1f %%", 100*part) }

// scaled formats a number in the largest unit that leaves at least 1; each unit is step times the one before.
func scaled(v, step float64, units ...string) string {
	i := 0
	for i < len(units)-1 && v >= step*0.9995 {
		v /= step
		i++
	}
	return significant(v) + " " + units[i]
}

// inBytes formats a number of bytes, in decimal units as rates are.
func inBytes(v float64) string { return scaled(v, 1000, "B", "kB", "MB", "GB", "TB") }

// rate formats bytes per second.
func rate(v float64) string { return scaled(v, 1000, "B/s", "kB/s", "MB/s", "GB/s", "TB/s") }

// flops formats operations per second.
func flops(v float64) string {
	return scaled(v, 1000, "FLOP/s", "kFLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s")
}

// microseconds formats a time.
func microseconds(us float64) string {
	if us > 0 && us < 1 {
		return scaled(us*1000, 1000, "ns", "µs")
	}
	return scaled(us, 1000, "µs", "ms", "s")
}

// wall formats a time of the host.
func wall(d time.Duration) string { return microseconds(float64(d.Nanoseconds()) / 1e3) }

// plural returns "1 block", "2 blocks".
func plural(n uint64, what string) string {
	return counted(count(n), what)
}

// counted returns a formatted number with a noun: 1 block, 16 × 8 threads.
func counted(number, what string) string {
	if number == "1" {
		return "1 " + what
	}
	if strings.HasSuffix(what, "ch") {
		what += "e"
	}
	return number + " " + what + "s"
}

// extent formats a grid's or block's size, without trailing dimensions of 1: 16 × 8.
func extent(e [3]int) string {
	text := count(uint64(e[0]))
	if e[1] > 1 || e[2] > 1 {
		text += " × " + count(uint64(e[1]))
	}
	if e[2] > 1 {
		text += " × " + count(uint64(e[2]))
	}
	return text
}
