package lab_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"os/exec"
	"regexp"
	"testing"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/need"
)

// firefox is a tab of Firefox, controlled by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/).
type firefox struct {
	*testing.T
	connection net.Conn
	last       int    // number of the last command
	tab        string // the browsing context
}

// listening matches the line in which Firefox prints its control address.
var listening = regexp.MustCompile(`WebDriver BiDi listening on (ws://\S+)`)

func newFirefox(t *testing.T, width, height int) *firefox {
	t.Helper()
	path := need.Firefox(t)
	ctx, cancel := context.WithTimeout(context.Background(), session())
	t.Cleanup(cancel)
	run := exec.CommandContext(ctx, path, "--headless", "--no-remote", "--profile", t.TempDir(), "--remote-debugging-port", "0")
	said, err := run.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, run.Start())
	t.Cleanup(func() {
		cancel()
		_ = run.Wait() // it was killed
	})
	address := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(said); lines.Scan(); {
			if m := listening.FindStringSubmatch(lines.Text()); m != nil {
				address <- m[1]
			}
		}
		close(address)
	}()
	connection, _, _, err := ws.Dial(ctx, <-address+"/session")
	require.NoError(t, err)
	f := &firefox{T: t, connection: connection}
	f.command("session.new", map[string]any{"capabilities": map[string]any{}}, nil)
	var tree struct{ Contexts []struct{ Context string } }
	f.command("browsingContext.getTree", map[string]any{}, &tree)
	require.NotEmpty(t, tree.Contexts)
	f.tab = tree.Contexts[0].Context
	f.command("session.subscribe", map[string]any{"events": []string{"log.entryAdded"}}, nil)
	viewport := map[string]int{"width": width, "height": height}
	f.command("browsingContext.setViewport", map[string]any{"context": f.tab, "viewport": viewport}, nil)
	return f
}

// command sends a command and reads its answer. Messages that the page logs may come before it.
func (f *firefox) command(method string, params, into any) {
	f.Helper()
	f.last++
	text, err := json.Marshal(map[string]any{"id": f.last, "method": method, "params": params})
	require.NoError(f, err)
	require.NoError(f, wsutil.WriteClientText(f.connection, text))
	for {
		answer, err := wsutil.ReadServerText(f.connection)
		require.NoError(f, err)
		var m struct {
			ID             int
			Error, Message string
			Method         string
			Params         struct{ Level, Text string }
			Result         json.RawMessage
		}
		require.NoError(f, json.Unmarshal(answer, &m))
		if m.Method == "log.entryAdded" && m.Params.Level == "error" {
			f.Errorf("console: %s", m.Params.Text)
		}
		if m.ID != f.last {
			continue
		}
		require.Empty(f, m.Error, "%s: %s", method, m.Message)
		if into != nil {
			require.NoError(f, json.Unmarshal(m.Result, into))
		}
		return
	}
}

func (f *firefox) open(url string) {
	f.Helper()
	for _, u := range []string{"about:blank", url} {
		f.command("browsingContext.navigate", map[string]any{"context": f.tab, "url": u, "wait": "complete"}, nil)
	}
}

func (f *firefox) eval(expression string, into any) {
	f.Helper()
	var answer struct {
		Result           struct{ Value string }
		ExceptionDetails struct{ Text string }
	}
	f.command("script.evaluate", map[string]any{
		"expression": asJSON(expression), "target": map[string]any{"context": f.tab}, "awaitPromise": true,
	}, &answer)
	require.Empty(f, answer.ExceptionDetails.Text, expression)
	if into != nil {
		require.NoError(f, json.Unmarshal([]byte(answer.Result.Value), into), expression)
	}
}

func (f *firefox) press(k key, times int) {
	f.Helper()
	text, named := map[key]string{arrowRight: "\ue014", arrowLeft: "\ue012", pageDown: "\ue00f"}[k]
	if !named {
		text = string(k)
	}
	var actions []map[string]string
	for range times {
		actions = append(actions, map[string]string{"type": "keyDown", "value": text}, map[string]string{"type": "keyUp", "value": text})
	}
	f.command("input.performActions", map[string]any{"context": f.tab, "actions": []any{
		map[string]any{"type": "key", "id": "keyboard", "actions": actions},
	}}, nil)
}

func (f *firefox) shot(selector string) []byte {
	f.Helper()
	box := map[string]any{}
	f.eval(fmt.Sprintf("((b) => ({type: 'box', x: b.x + scrollX, y: b.y + scrollY, width: b.width, height: b.height}))"+
		"(document.querySelector(%q).getBoundingClientRect())", selector), &box)
	var answer struct{ Data string }
	f.command("browsingContext.captureScreenshot", map[string]any{"context": f.tab, "origin": "document", "clip": box}, &answer)
	picture, err := base64.StdEncoding.DecodeString(answer.Data)
	require.NoError(f, err)
	return picture
}
