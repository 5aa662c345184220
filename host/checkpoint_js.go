package host

import (
	"context"
	"errors"
)

// A browser's engine neither saves runs nor resumes them from files: this code would be a tenth of its download.

var errNoCheckpoints = errors.New("a browser has no checkpoints")

func (x *execution) saveWhenDue([]*process) {}

func (x *execution) restore(context.Context, []*process) ([]*process, error) {
	return nil, errNoCheckpoints
}

func (x *execution) load(context.Context, []*process, *State) ([]*process, error) {
	return nil, errNoCheckpoints
}
