package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync"

	"github.com/keplersim/keplersim/sim/scheduler"
)

// mostSchedulers bounds how many schedulers of readers one process keeps: each stays known by its name.
const mostSchedulers = 10_000

var (
	schedulers     = map[string]bool{}
	schedulersLock sync.Mutex
)

// ownScheduler makes a reader's expression a policy of the simulator, and returns its name. The error says what is wrong with the text.
func ownScheduler(text string) (string, error) {
	policy, err := scheduler.Expression(text)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(text))
	name := "own-" + hex.EncodeToString(sum[:4])
	schedulersLock.Lock()
	defer schedulersLock.Unlock()
	if schedulers[name] {
		return name, nil
	}
	if len(schedulers) == mostSchedulers {
		return "", errors.New("too many schedulers were tried: start the lab again")
	}
	schedulers[name] = true
	scheduler.Register(name, "a reader's: "+text, policy)
	return name, nil
}
