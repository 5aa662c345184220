//go:build js && wasm

// Command lab-engine is the simulator for the lab's pages in a browser: a WebAssembly program that offers globalThis.keplersim with run,
// grade and compile. Each takes JSON and returns a promise of JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"syscall/js"
	"time"

	"github.com/keplersim/keplersim/lab/engine"
	"github.com/keplersim/keplersim/lab/exercise"
)

// limits bound a page's runs: a browser tab has 4 GB and little patience.
var limits = engine.Limits{Time: 2 * time.Minute, Cycles: 50_000_000, Memory: 1 << 30}

func main() {
	js.Global().Set("keplersim", map[string]any{
		"run": promised(func(text []byte) (any, error) {
			var q engine.Request
			if err := json.Unmarshal(text, &q); err != nil {
				return nil, fmt.Errorf("read the request: %w", err)
			}
			return engine.Run(context.Background(), &q, limits)
		}),
		"grade": promised(func(text []byte) (any, error) {
			var q exercise.Submission
			if err := json.Unmarshal(text, &q); err != nil {
				return nil, fmt.Errorf("read the request: %w", err)
			}
			return q.Grade(context.Background(), limits)
		}),
		"compile": promised(func(text []byte) (any, error) {
			var q engine.Source
			if err := json.Unmarshal(text, &q); err != nil {
				return nil, fmt.Errorf("read the request: %w", err)
			}
			return q.Answer(context.Background(), limits), nil
		}),
	})
	if ready := js.Global().Get("keplersimReady"); ready.Type() == js.TypeFunction {
		ready.Invoke()
	}
	select {} // keep the functions alive
}

// promised makes a JavaScript function that returns a promise of do's result. Argument and result are JSON texts.
func promised(do func([]byte) (any, error)) js.Func {
	return js.FuncOf(func(_ js.Value, arguments []js.Value) any {
		text := arguments[0].String()
		executor := js.FuncOf(func(_ js.Value, settle []js.Value) any {
			go func() {
				var out []byte
				result, err := do([]byte(text))
				if err == nil {
					out, err = json.Marshal(result)
				}
				if err != nil {
					settle[1].Invoke(js.Global().Get("Error").New(err.Error()))
					return
				}
				settle[0].Invoke(string(out))
			}()
			return nil
		})
		defer executor.Release()
		return js.Global().Get("Promise").New(executor)
	})
}
