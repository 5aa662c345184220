package boost

import "fmt"

// LimitError is the error of a power limit that a board does not support.
type LimitError struct {
	Watts       float64
	Config      string
	Least, Most float64
}

// Error gives the range.
func (e *LimitError) Error() string {
	return fmt.Sprintf("a power limit of %g W: %s takes %g to %g W (boost.power_limit_min, boost.power_limit_max)", e.Watts, e.Config,
		e.Least, e.Most)
}

// TemperatureError is the error of a start temperature at which no board runs.
type TemperatureError struct {
	Celsius  float64
	Config   string
	Shutdown float64
}

// Error gives the range.
func (e *TemperatureError) Error() string {
	return fmt.Sprintf("a temperature of %g C: %s runs from %d C to below %g C, where it switches itself off (boost.shutdown)", e.Celsius,
		e.Config, coldest, e.Shutdown)
}

// Shutdown is the error of a board that became too hot and switched itself off.
type Shutdown struct {
	Celsius float64
	Config  string
	Limit   float64
}

// Error names the limit.
func (e *Shutdown) Error() string {
	return fmt.Sprintf("%s has reached %.1f C and switched itself off at %g C (boost.shutdown); "+
		"start it cooler, or lower its clock or power limit", e.Config, e.Celsius, e.Limit)
}
