package sim

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/sim/memory"
)

// plainInterfaces has the interfaces in the state of a run whose values are data.
var plainInterfaces = map[string]string{
	"boost.control.governor":          "a policy that is registered",
	"cache.Cache.policy":              "a policy that is registered",
	"device.Device.engine":            "timed, without fields",
	"device.commandProcessor.watcher": "a *GPU",
	"dram.Channel.rows":               "a policy that is registered",
	"dram.Channel.scheduler":          "a policy that is registered",
	"hyperq.Blocks.placement":         "a policy that is registered",
	"hyperq.Command.Effect":           "data, or a function, which is refused when it is met",
	"memory.addressMap.mapping":       "a policy that is registered",
	"memory.slice.evictions":          "the prefetcher",
	"memory.slice.prefetcher":         "a policy that is registered",
	"observe.Warp.State":              "a *warp",
	"smx.Grid.System":                 "a *system",
	"smx.block.state":                 "a *blockCalls",
	"smx.fetch.prefetcher":            "a policy that is registered",
	"smx.policies.bypass":             "a policy that is registered",
	"smx.policies.prefetcher":         "a policy that is registered",
	"smx.warpScheduler.policy":        "a policy that is registered",
}

// Every field of every type in the state of a run is data, or is listed with its treatment.
func TestEveryFieldOfTheStateCanBeSavedOrIsDecidedOn(t *testing.T) {
	h := &Host{options: Options{}}
	w := h.World()
	roots := append([]reflect.Type{reflect.TypeFor[Host](), reflect.TypeFor[GPU](), reflect.TypeFor[system](), reflect.TypeFor[Module](),
		reflect.TypeFor[memory.State]()}, w.Types...)
	assert.Empty(t, w.Problems(plainInterfaces, roots...))
}
